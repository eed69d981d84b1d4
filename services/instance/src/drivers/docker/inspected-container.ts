/** A container, as the engine describes it, and the replica that it is. */
import type { ObservedReplica } from '../driver.ts'
import { identityOf, type Labels } from './labels.ts'

interface ContainerState {
  readonly Status: string
  readonly OOMKilled: boolean
  readonly ExitCode: number
  readonly StartedAt: string
  readonly FinishedAt: string
}

export interface InspectedContainer {
  readonly Name: string
  readonly Config: { readonly Labels?: Labels | null }
  readonly State: ContainerState
  readonly NetworkSettings: {
    readonly Ports?: Readonly<
      Record<string, readonly { readonly HostIp: string; readonly HostPort: string }[] | null>
    > | null
  }
}

/** An engine that dies in the middle of a start may call a container created that has run, and not know since when. */
export const hasRun = ({ Status, FinishedAt }: ContainerState): boolean =>
  Status !== 'created' || Date.parse(FinishedAt) > 0

/** `starts` are those that were heard of, by name. */
export function observedContainer(
  host: string,
  { Name, Config, State, NetworkSettings }: InspectedContainer,
  starts: ReadonlyMap<string, number>,
): ObservedReplica {
  const identity = identityOf(Name.replace(/^\//, ''), Config.Labels ?? {})
  const { Status, OOMKilled, ExitCode } = State
  const ports = Object.entries(NetworkSettings.Ports ?? {}).flatMap(([port, bindings]) =>
    // One for IPv4 and one for IPv6.
    (bindings ?? [])
      .slice(0, 1)
      .map(({ HostPort }) => ({ port: Number.parseInt(port, 10), hostPort: Number(HostPort) })),
  )
  // What is not known has the year 1.
  const known = Date.parse(State.StartedAt)
  const startedAt = known > 0 ? known : starts.get(identity.name)
  const base = { ...identity, host, ports, address: addressOf(host) }
  if (!hasRun(State)) return { ...base, state: 'creating' }
  if (Status === 'running' || Status === 'paused' || Status === 'restarting')
    return { ...base, state: 'running', ...(startedAt !== undefined && { startedAt }) }
  const endedAt = Date.parse(State.FinishedAt)
  return {
    ...base,
    state: 'exited',
    // The engine takes the time of the start after the process has been started.
    ...(endedAt > 0
      ? { startedAt: Math.min(startedAt ?? endedAt, endedAt), endedAt }
      : startedAt !== undefined && { startedAt }),
    exitCode: ExitCode,
    ...(OOMKilled && { reason: 'out_of_memory' as const }),
  }
}

/** A port is published on all addresses of a host; we know the one at which its engine is reached. */
const addressOf = (host: string): string => new URL(host).hostname || '127.0.0.1'
