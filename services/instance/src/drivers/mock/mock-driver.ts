/** The port on a `MockEngine`. An image `sandbox/<fault>` fails as its name says. */
import type { Clock } from '@millhand/process'
import {
  type Capacity,
  type Driver,
  DriverFault,
  type LogLine,
  type LogOptions,
  type ObservedReplica,
  type ReplicaSpec,
} from '../driver.ts'
import type { MockEngine, MockHost, MockReplica } from './mock-engine.ts'

/** Images of test mode that show a user each way to fail. */
const SANDBOX_EXITS: Readonly<Record<string, { exitCode: number; reason?: ObservedReplica['reason'] }>> = {
  'sandbox/exits': { exitCode: 1 },
  'sandbox/completes': { exitCode: 0 },
  'sandbox/out-of-memory': { exitCode: 137, reason: 'out_of_memory' },
}

const SANDBOX_FAULTS: Readonly<Record<string, DriverFault['reason']>> = {
  'sandbox/image-not-found': 'image_not_found',
  'sandbox/image-denied': 'image_denied',
  'sandbox/command-not-found': 'command_not_found',
  'sandbox/no-capacity': 'no_capacity',
  'sandbox/unavailable': 'unavailable',
}

/** Of every image, it says. */
const IMAGE_BYTES = 100_000_000

export function createMockDriver(engine: MockEngine): Driver {
  const { clock, hosts } = engine
  const reachable = () => [...hosts.values()].filter(({ isLost }) => !isLost)
  const changed = () => {
    for (const watcher of engine.watchers) watcher()
  }

  return {
    async create(replica, { signal, cancelled, onPull }) {
      signal.throwIfAborted()
      const before = reachable().find(({ replicas }) => replicas.has(replica.name))
      if (before !== undefined) {
        const { startedAt } = before.replicas.get(replica.name) as MockReplica
        await clock.sleep(Math.max(0, startedAt - clock.now()), signal)
        return { host: before.name }
      }
      const fault = SANDBOX_FAULTS[replica.image]
      if (fault !== undefined)
        throw new DriverFault(fault, `Test mode answers ${fault} for the image ${replica.image}.`)
      const host = place(reachable(), replica)
      const createdAt = clock.now()
      host.replicas.set(replica.name, {
        spec: withoutSecrets(replica),
        createdAt,
        startedAt: createdAt + engine.pullMs + engine.startMs,
        ports: replica.ports.map(({ port, hostPort }) => ({ port, hostPort: hostPort ?? freePort(host) })),
      })
      changed()
      try {
        onPull?.({ doneBytes: 0, totalBytes: IMAGE_BYTES })
        await clock.sleep(engine.pullMs, cancelled ? AbortSignal.any([signal, cancelled]) : signal)
        onPull?.({ doneBytes: IMAGE_BYTES, totalBytes: IMAGE_BYTES })
        await clock.sleep(engine.startMs, signal)
        // A timer may fire a part of a millisecond early: then it would not run yet.
        if (clock.now() < createdAt + engine.pullMs + engine.startMs) await clock.sleep(1, signal)
      } catch (error) {
        if (cancelled?.aborted) host.replicas.delete(replica.name)
        throw error
      } finally {
        changed()
      }
      endLater(engine, replica)
      return { host: host.name }
    },

    async remove({ name, host }, signal) {
      signal.throwIfAborted()
      const searched = host === undefined ? [...hosts.values()] : [hosts.get(host)].filter(found => found !== undefined)
      for (const found of searched) {
        if (found.isLost) throw new DriverFault('unavailable', 'The host does not answer.')
        engine.take(found, name)
      }
      changed()
    },

    async stop({ name, host }, signal) {
      signal.throwIfAborted()
      if (hosts.get(host)?.isLost) throw new DriverFault('unavailable', 'The host does not answer.')
      engine.end(name, { exitCode: 143 })
    },

    async ends(host, signal) {
      signal.throwIfAborted()
      if (hosts.get(host)?.isLost) throw new DriverFault('unavailable', 'The host does not answer.')
      return new Map(hosts.has(host) ? engine.ends : [])
    },

    async list(signal) {
      signal.throwIfAborted()
      const replicas: ObservedReplica[] = []
      for (const host of reachable())
        for (const replica of host.replicas.values()) replicas.push(observed(engine, host, replica))
      return {
        replicas,
        lostHosts: [...hosts.values()].filter(({ isLost }) => isLost).map(({ name }) => name),
      }
    },

    watch(changed) {
      // Each watcher is a function of its own, so that one disposes of itself alone.
      const watcher = () => changed()
      engine.watchers.add(watcher)
      return { [Symbol.dispose]: () => void engine.watchers.delete(watcher) }
    },

    logs: (name, options, signal) => lines(engine, reachable(), name, options, signal),

    async capacity(_signal, lost = new Set()) {
      return capacityOf(reachable().filter(({ name }) => !lost.has(name)))
    },
  }
}

function place(hosts: readonly MockHost[], replica: ReplicaSpec): MockHost {
  const [best] = hosts
    .map(host => ({ host, free: freePlaces(host, replica.gpu) }))
    .filter(({ free }) => free > 0)
    .sort((one, other) => other.free - one.free)
  if (best === undefined) throw new DriverFault('no_capacity', `No host has a free place for ${replica.gpu}.`)
  const wanted = replica.ports.flatMap(({ hostPort }) => hostPort ?? [])
  if (wanted.some(port => portsOf(best.host).has(port)))
    throw new DriverFault('port_taken', 'A port that the replica asks for is taken.')
  return best.host
}

function freePlaces(host: MockHost, gpu: string): number {
  let used = 0
  for (const { spec, exit } of host.replicas.values()) if (spec.gpu === gpu && exit === undefined) used++
  return (host.places[gpu] ?? 0) - used
}

function portsOf(host: MockHost): Set<number | undefined> {
  const live = [...host.replicas.values()].filter(({ exit }) => exit === undefined)
  return new Set(live.flatMap(({ ports }) => ports.map(({ hostPort }) => hostPort)))
}

function freePort(host: MockHost): number {
  const taken = portsOf(host)
  for (let port = 32_768; ; port++) if (!taken.has(port)) return port
}

/** Ends a replica at once whose image says that it ends. */
export function endLater(
  { clock, hosts, end }: MockEngine,
  { name, image }: Pick<ReplicaSpec, 'name' | 'image'>,
): void {
  const exit = SANDBOX_EXITS[image]
  if (exit === undefined) return
  clock.timer(0, () => {
    if ([...hosts.values()].some(({ replicas }) => replicas.has(name))) end(name, exit)
  })
}

function withoutSecrets({ env: _, registryCredential: __, ...spec }: ReplicaSpec): MockReplica['spec'] {
  return spec
}

/** One that runs is the same object in each observation. */
function observed({ clock, pullMs }: MockEngine, host: MockHost, replica: MockReplica): ObservedReplica {
  if (replica.exit === undefined && replica.running !== undefined) return replica.running
  const { spec, createdAt, startedAt, ports, exit } = replica
  const { name, tenant, instance, index, generation, gpu } = spec
  const base = { name, tenant, instance, index, generation, gpu, host: host.name, ports }
  const now = clock.now()
  if (exit !== undefined) {
    const { at, exitCode, reason } = exit
    return {
      ...base,
      state: 'exited',
      startedAt: Math.min(startedAt, at),
      endedAt: at,
      exitCode,
      ...(reason && { reason }),
    }
  }
  if (now < createdAt + pullMs) return { ...base, state: 'pulling' }
  if (now < startedAt) return { ...base, state: 'creating' }
  replica.running = { ...base, state: 'running', startedAt, address: `${host.name}.sandbox.invalid` }
  return replica.running
}

async function* lines(
  { clock }: MockEngine,
  hosts: readonly MockHost[],
  name: string,
  { follow, tail, since = 0, after }: LogOptions,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  const replica = hosts.map(({ replicas }) => replicas.get(name)).find(found => found !== undefined)
  if (replica === undefined) throw new DriverFault('not_found', `There is no replica ${name}.`)
  const written = linesOf(replica).filter(({ at }) => at <= clock.now())
  const wanted = written.filter(({ id, at }) => at >= since && (after === undefined || id > after))
  yield* tail === undefined ? wanted : wanted.slice(Math.max(0, wanted.length - tail))
  if (follow) yield* linesUntilEnd(clock, hosts, replica, signal)
}

async function* linesUntilEnd(
  clock: Clock,
  hosts: readonly MockHost[],
  replica: MockReplica,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  const isThere = () => hosts.some(({ replicas }) => replicas.get(replica.spec.name) === replica)
  while (isThere() && replica.exit === undefined) await clock.sleep(100, signal)
  const last = linesOf(replica).at(-1)
  if (replica.exit !== undefined && last !== undefined) yield last
}

/** The same for the same replica. */
function linesOf({ spec, startedAt, exit }: MockReplica): LogLine[] {
  const texts: [number, string][] = [
    [startedAt, `${spec.image} started as replica ${spec.index}`],
    [startedAt, 'this is test mode: nothing runs'],
    ...(exit === undefined ? [] : [[exit.at, `ended with ${exit.exitCode}`] satisfies [number, string]]),
  ]
  return texts.map(([at, text], line) => ({
    id: `${new Date(at).toISOString()}#${line}`,
    at,
    stream: 'stdout',
    text,
  }))
}

function capacityOf(hosts: readonly MockHost[]): Capacity[] {
  const types = new Set(hosts.flatMap(({ places }) => Object.keys(places)))
  return [...types].sort().map(gpu => ({
    gpu,
    total: hosts.reduce((sum, { places }) => sum + (places[gpu] ?? 0), 0),
    free: hosts.reduce((sum, host) => sum + Math.max(0, freePlaces(host, gpu)), 0),
    memoryBytes: 2 ** 30,
  }))
}
