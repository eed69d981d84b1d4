/** One Docker engine: the containers of this deployment on it. */
import { setMaxListeners } from 'node:events'
import { type Clock, KeyedMutex } from '@millhand/process'
import { DriverFault, type LogLine, type LogOptions, type ObservedReplica, type ReplicaSpec } from '../driver.ts'
import { linesAfter, nanoseconds } from '../line-ids.ts'
import type { ReplicaSize, ReplicaSizes } from '../replica-size.ts'
import { type ContainerConfigOptions, containerConfig } from './container-config.ts'
import { createEngine, type Engine, type EngineAddress, EngineError } from './engine.ts'
import { createHeardTimes, endsOf, watchEngine } from './engine-events.ts'
import { startFault } from './faults.ts'
import type { HostImage } from './images.ts'
import { hasRun, type InspectedContainer, observedContainer } from './inspected-container.ts'
import { DEPLOYMENT, devicesOf, filtersOf, identityOf, type Labels, labelsOf, TENANT } from './labels.ts'
import { createLeftovers, type Leftovers } from './leftovers.ts'
import { logLines } from './log-lines.ts'
import { checkNetwork, ensureNetwork, removeUnusedNetworks } from './networks.ts'
import { type HostRoom, type Occupant, roomOf } from './placement.ts'

export interface DockerHost {
  /** The URL of its engine. */
  readonly name: string
  readonly engine: Engine
  /** Whether the container has run, or only exists; undefined where it does not. */
  find(name: string, signal: AbortSignal): Promise<'created' | 'started' | undefined>
  list(signal: AbortSignal): Promise<ObservedReplica[]>
  /** Calls `changed` soon after a container or the host may have changed, until the signal fires. */
  watch(changed: () => void, clock: Clock, signal: AbortSignal): void
  /** When containers have ended, by name: by the events that the engine still has, and by those that were heard. */
  ends(signal: AbortSignal): Promise<Map<string, number>>
  room(signal: AbortSignal): Promise<HostRoom>
  occupants(signal: AbortSignal): Promise<Map<string, Occupant>>
  /** Makes the container and starts it, or leaves nothing of it. Throws `DriverFault`. */
  run(replica: ReplicaSpec, image: HostImage, devices: readonly string[], signal: AbortSignal): Promise<void>
  /** Starts a container that a call which broke off has made. */
  start(name: string, signal: AbortSignal): Promise<void>
  /** Ends its process, and keeps the container. */
  stop(name: string, signal: AbortSignal): Promise<void>
  remove(name: string, signal: AbortSignal): Promise<void>
  logs(name: string, options: LogOptions, signal: AbortSignal): AsyncIterable<LogLine>
}

export interface DockerHostOptions {
  readonly address: EngineAddress
  readonly deployment: string
  readonly sizes: ReplicaSizes
  readonly publicNetwork?: string
  readonly executorNetwork?: string
  readonly graceSeconds: number
}

export function createDockerHost(options: DockerHostOptions): DockerHost {
  const { address, deployment, sizes, publicNetwork, executorNetwork, graceSeconds } = options
  const engine = createEngine(address)
  /** Of a tenant one call at a time makes a network. */
  const networks = new KeyedMutex()
  const heard = createHeardTimes()
  const leftovers = createLeftovers(engine, deployment)
  /** For what a new replica waits for. A list is given its whole time: by it the host is found to answer again. */
  const hurried = () => (engine.isSilent ? SILENT_TIMEOUT_MS : LOOK_TIMEOUT_MS)
  const listed = async (signal: AbortSignal, timeoutMs = LOOK_TIMEOUT_MS) =>
    (await engine.call('GET', `/containers/json?all=1&${filtersOf({ [DEPLOYMENT]: deployment })}`, {
      signal,
      timeoutMs,
    })) as ListedContainer[]
  const inspected = async (name: string, signal: AbortSignal, timeoutMs = LOOK_TIMEOUT_MS) => {
    const path = `/containers/${encodeURIComponent(name)}/json`
    const found = (await unlessMissing(engine.call('GET', path, { signal, timeoutMs }))) as
      | InspectedContainer
      | undefined
    return found?.Config.Labels?.[DEPLOYMENT] === deployment ? found : undefined
  }

  return {
    name: address.url,
    engine,
    async start(name, signal) {
      await started(engine, name, signal).catch(error => refused(engine, name, error, signal))
    },

    async find(name, signal) {
      const found = await inspected(name, signal, hurried())
      return found && (hasRun(found.State) ? 'started' : 'created')
    },

    async list(signal) {
      const names = (await listed(signal)).map(nameOf)
      // One signal for many calls.
      setMaxListeners(0, signal)
      const all = await Promise.all(names.map(name => inspected(name, signal)))
      return all.filter(found => found !== undefined).map(found => observedContainer(address.url, found, heard.starts))
    },

    watch(changed, clock, signal) {
      leftovers.note() // What has gone while nobody listened.
      const noted = (action: string, name: string, at: number) => {
        heard.note(action, name, at)
        if (action === 'destroy') leftovers.note()
      }
      const ping = (ended: AbortSignal) => pinged(engine, leftovers, ended)
      watchEngine({ engine, deployment, changed, heard: noted, ping, clock, signal })
    },

    async ends(signal) {
      return new Map([...heard.ends, ...(await endsOf(engine, deployment, signal))])
    },

    async room(signal) {
      return roomOf(
        (await engine.call('GET', '/info', { signal, timeoutMs: hurried() })) as Parameters<typeof roomOf>[0],
      )
    },

    async occupants(signal) {
      const live = (await listed(signal, hurried())).filter(({ State }) => !ENDED.has(State))
      return new Map(live.map(container => [nameOf(container), occupantOf(container)]))
    },

    async run(replica, { id, volumes }, devices, signal) {
      const { name, tenant, ports, gpu, isExecutor } = replica
      const published =
        ports.length > 0 ? await checkNetwork(engine, publicNetwork, noPublicNetwork, signal) : undefined
      const size = sizeOf(sizes, gpu)
      const labels = labelsOf(deployment, replica, devices)
      const make = async () => {
        const network = isExecutor
          ? await checkNetwork(engine, executorNetwork, noExecutorNetwork, signal)
          : await networks.runExclusive(tenant, () => ensureNetwork(engine, deployment, tenant, signal))
        const config = { replica, size, network, devices, labels, imageId: id, imageVolumes: volumes }
        await makeContainer(engine, config, published, signal)
      }
      await leftovers.keeping(tenant, () => runContainer(engine, name, make, signal))
    },

    async stop(name, signal) {
      if ((await inspected(name, signal)) !== undefined) await stopped(engine, name, graceSeconds, signal)
    },

    async remove(name, signal) {
      const found = await inspected(name, signal)
      if (found === undefined) return
      await stopped(engine, name, graceSeconds, signal)
      await discard(engine, name, signal)
      await removeUnusedNetworks(engine, deployment, found.Config.Labels?.[TENANT] ?? '', signal)
    },

    async *logs(name, options, signal) {
      if ((await inspected(name, signal)) === undefined)
        throw new DriverFault('not_found', `There is no replica ${name}.`)
      yield* linesOf(engine, name, options, signal)
    },
  }
}

/** Sweeps, or else asks for something else: an engine that does not answer is lost. */
async function pinged(engine: Engine, leftovers: Leftovers, signal: AbortSignal): Promise<void> {
  if (!(await leftovers.sweep(signal))) await engine.call('GET', '/version', { signal, timeoutMs: LOOK_TIMEOUT_MS })
}

const noPublicNetwork = new DriverFault(
  'ports_unsupported',
  'The host has no network for published ports that keeps replicas apart.',
)

function sizeOf(sizes: ReplicaSizes, gpu: string): ReplicaSize {
  const size = sizes[gpu]
  if (size === undefined) throw new DriverFault('no_capacity', `There is no ${gpu} here.`)
  return size
}

const noExecutorNetwork = new DriverFault(
  'executors_unsupported',
  'The host has no network for executors that keeps replicas apart.',
)

/** Makes a container and starts it, or leaves nothing of it. */
async function runContainer(
  engine: Engine,
  name: string,
  make: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const run = async () => {
    await make().catch(error => {
      if (!isNameTaken(error)) throw error // Else another call was faster.
    })
    await started(engine, name, signal)
  }
  try {
    await run().catch(async error => {
      if (!isNetworkGone(error)) throw error
      await discard(engine, name, signal)
      await run() // Another call has removed the tenant's network, for nothing was on it yet.
    })
  } catch (error) {
    await refused(engine, name, error, signal)
  }
}

const started = (engine: Engine, name: string, signal: AbortSignal): Promise<unknown> =>
  engine.call('POST', `/containers/${name}/start`, { signal, timeoutMs: START_TIMEOUT_MS })

/** SIGTERM, and SIGKILL after the grace time. */
const stopped = (engine: Engine, name: string, graceSeconds: number, signal: AbortSignal): Promise<unknown> => {
  const timeoutMs = graceSeconds * 1000 + START_TIMEOUT_MS
  return unlessMissing(engine.call('POST', `/containers/${name}/stop?t=${graceSeconds}`, { signal, timeoutMs }))
}

/** A replica that did not start is removed; where the engine does not answer it may have started. */
async function refused(engine: Engine, name: string, error: unknown, signal: AbortSignal): Promise<never> {
  if (error instanceof EngineError) await discard(engine, name, signal)
  throw startFault(error)
}

async function discard(engine: Engine, name: string, signal: AbortSignal): Promise<void> {
  await unlessMissing(engine.call('DELETE', `/containers/${name}?force=1&v=1`, { signal, timeoutMs: START_TIMEOUT_MS }))
  await unlessMissing(engine.call('DELETE', `/volumes/${name}`, { signal }))
}

/** Makes the container, and joins it to the network on which its ports are published. */
async function makeContainer(
  engine: Engine,
  config: ContainerConfigOptions,
  publicNetwork: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { name } = config.replica
  await engine.call('POST', `/containers/create?name=${name}`, { signal, body: containerConfig(config) })
  if (publicNetwork !== undefined)
    await engine.call('POST', `/networks/${publicNetwork}/connect`, { signal, body: { Container: name } })
}

/** The lines of a container that is there. */
async function* linesOf(
  engine: Engine,
  name: string,
  { follow, tail, since, after }: LogOptions,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  const query = new URLSearchParams({ stdout: '1', stderr: '1', timestamps: '1', follow: follow ? '1' : '0' })
  const from = after === undefined ? since : Math.max(since ?? 0, Number(nanoseconds(after) / 1_000_000n))
  if (from !== undefined) query.set('since', (from / 1000).toFixed(3))
  if (tail !== undefined && after === undefined) query.set('tail', String(tail))
  try {
    const stream = await engine.stream('GET', `/containers/${name}/logs?${query}`, { signal })
    const lines = logLines(stream)
    yield* after === undefined ? lines : linesAfter(after, lines)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof DriverFault) throw error
    if (error instanceof EngineError)
      throw new DriverFault('not_found', `There is no replica ${name}.`, { cause: error })
    throw new DriverFault('unavailable', 'The container engine does not answer.', { cause: error })
  }
}

/** A start waits for the disk, and for the container's network. */
const START_TIMEOUT_MS = 120_000

/** A host is lost once it has not said for so long what it has. */
const LOOK_TIMEOUT_MS = 5000
/** A host that said nothing the last time must not hold up what other hosts have room for. */
const SILENT_TIMEOUT_MS = 500

const ENDED = new Set(['exited', 'dead', 'removing'])

interface ListedContainer {
  readonly Names: readonly string[]
  readonly State: string
  readonly Labels: Labels
}

const nameOf = ({ Names }: ListedContainer): string => (Names[0] ?? '').replace(/^\//, '')

const occupantOf = ({ Labels }: ListedContainer): Occupant => ({
  gpu: identityOf('', Labels).gpu,
  devices: devicesOf(Labels),
})

function isNameTaken(error: unknown): boolean {
  return error instanceof EngineError && error.status === 409
}

function isNetworkGone(error: unknown): boolean {
  return error instanceof EngineError && /network .*not found/i.test(error.message)
}

async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof EngineError && error.status === 404) return undefined
    throw error
  }
}
