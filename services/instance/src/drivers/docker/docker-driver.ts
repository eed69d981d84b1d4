/** The driver of Docker engines: each replica is one container, on the host that has most room. */
import { type Clock, KeyedMutex } from '@millhand/process'
import {
  type Capacity,
  type Driver,
  DriverFault,
  type LogLine,
  type LogOptions,
  type Observation,
  type ObservedReplica,
  type ReplicaSpec,
} from '../driver.ts'
import { checkImage, type ImagePolicy } from '../image-policy.ts'
import type { ReplicaSizes } from '../replica-size.ts'
import type { EngineAddress } from './engine.ts'
import { createDockerHost, type DockerHost } from './host.ts'
import { ensureImage } from './images.ts'
import { freeDevices, type HostRoom, type Occupant, places } from './placement.ts'

export interface DockerDriverOptions {
  /** Tells this deployment's containers from those of others on the same engines. */
  readonly deployment: string
  readonly hosts: readonly EngineAddress[]
  readonly sizes: ReplicaSizes
  readonly images?: ImagePolicy
  /** The network on which ports are published, where hosts have one. */
  readonly publicNetwork?: string
  /** The network on which executors reach compute, where hosts have one. */
  readonly executorNetwork?: string
  /** Seconds from SIGTERM to SIGKILL. */
  readonly graceSeconds?: number
  readonly clock: Clock
}

export interface DockerDriver extends Driver, AsyncDisposable {}

/** A replica that is being started. */
interface Coming {
  readonly replica: ReplicaSpec
  readonly host: DockerHost
  readonly occupant: Occupant
}

/** Calls no engine: one that is away at the start is a lost host. */
export function createDockerDriver(options: DockerDriverOptions): DockerDriver {
  const { sizes, images = {}, clock } = options
  const hosts = hostsOf(options)
  /** Replicas for which a host has been chosen, and which are not in its engine yet. */
  const coming = new Map<string, Coming>()
  const creating = new KeyedMutex()
  const placing = new KeyedMutex()

  async function occupantsOf(host: DockerHost, signal: AbortSignal): Promise<Occupant[]> {
    const occupants = await host.occupants(signal)
    for (const [name, reserved] of coming) if (reserved.host === host) occupants.set(name, reserved.occupant)
    return [...occupants.values()]
  }

  /** Chooses a host and takes the place on it; `tried` have failed. */
  async function place(replica: ReplicaSpec, tried: ReadonlySet<DockerHost>, signal: AbortSignal) {
    const { gpu, name } = replica
    const best = await roomiest(hosts, gpu, { sizes, tried, signal, occupantsOf })
    const devices = gpu === 'cpu' ? [] : best.devices.slice(0, 1)
    coming.set(name, { replica, host: best.host, occupant: { gpu, devices } })
    return { host: best.host, devices }
  }

  return {
    create: (replica, createOptions) =>
      creating.runExclusive(replica.name, async () => {
        const { name } = replica
        const { signal, cancelled } = createOptions
        const { there } = await locate(hosts, name, signal)
        if (there?.state === 'created') await there.host.start(name, signal)
        if (there !== undefined) return { host: there.host.name }
        checkImage(replica.image, images)
        const tried = new Set<DockerHost>()
        for (;;) {
          const { host, devices } = await placing.runExclusive('', () => place(replica, tried, signal))
          try {
            const image = await ensureImage(host.engine, replica, images, clock, createOptions)
            cancelled?.throwIfAborted()
            await host.run(replica, image, devices, signal)
            return { host: host.name }
          } catch (error) {
            // What another host may have. Nothing else is tried again: a call that broke off may have made the container.
            tried.add(host)
            if (!isOfThisHost(error) || tried.size === hosts.length) throw error
          } finally {
            coming.delete(name)
          }
        }
      }),

    async remove({ name, host }, signal) {
      const searched = host === undefined ? hosts : hosts.filter(known => known.name === host)
      await Promise.all(searched.map(known => known.remove(name, signal)))
    },

    async stop({ name, host }, signal) {
      await hosts.find(known => known.name === host)?.stop(name, signal)
    },

    async list(signal): Promise<Observation> {
      const answered = await onReachable(hosts, async host => ({ host, replicas: await host.list(signal) }))
      const replicas = answered.flatMap(one => one.replicas)
      const names = new Set(replicas.map(({ name }) => name))
      return {
        replicas: [...replicas, ...[...coming.values()].filter(({ replica }) => !names.has(replica.name)).map(pulling)],
        lostHosts: hosts.filter(host => !answered.some(one => one.host === host)).map(({ name }) => name),
      }
    },

    async ends(name, signal) {
      return (await hosts.find(host => host.name === name)?.ends(signal)) ?? new Map()
    },

    watch(changed) {
      const stop = new AbortController()
      for (const host of hosts) host.watch(changed, clock, stop.signal)
      return { [Symbol.dispose]: () => stop.abort() }
    },

    logs: (name, logOptions, signal) => linesOf(hosts, name, logOptions, signal),

    async capacity(signal, lost = new Set()) {
      const counted = hosts.filter(({ name }) => !lost.has(name))
      const rooms = await onReachable(counted, async host => ({
        room: await host.room(signal),
        occupants: await occupantsOf(host, signal),
      }))
      return capacityOf(rooms, sizes)
    },

    async [Symbol.asyncDispose]() {
      await Promise.all(hosts.map(({ engine }) => engine[Symbol.asyncDispose]()))
    },
  }
}

const hostsOf = ({
  deployment,
  hosts,
  sizes,
  publicNetwork,
  executorNetwork,
  graceSeconds = 10,
}: DockerDriverOptions) =>
  hosts.map(address =>
    createDockerHost({
      ...{ address, deployment, sizes, graceSeconds },
      ...(publicNetwork !== undefined && { publicNetwork }),
      ...(executorNetwork !== undefined && { executorNetwork }),
    }),
  )

/** Where a replica is, and how many hosts have answered. */
async function locate(hosts: readonly DockerHost[], name: string, signal: AbortSignal) {
  const found = await onReachable(hosts, async host => ({ host, state: await host.find(name, signal) }))
  return { there: found.find(({ state }) => state !== undefined), answered: found.length }
}

async function* linesOf(
  hosts: readonly DockerHost[],
  name: string,
  logOptions: LogOptions,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  const { there, answered } = await locate(hosts, name, signal)
  if (there !== undefined) yield* there.host.logs(name, logOptions, signal)
  else if (answered < hosts.length) throw new DriverFault('unavailable', 'A container engine does not answer.')
  else throw new DriverFault('not_found', `There is no replica ${name}.`)
}

function capacityOf(
  rooms: readonly { room: HostRoom; occupants: readonly Occupant[] }[],
  sizes: ReplicaSizes,
): Capacity[] {
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)
  return Object.entries(sizes).map(
    ([gpu, { memoryBytes }]): Capacity => ({
      gpu,
      total: sum(rooms.map(({ room }) => places(room, [], gpu, sizes))),
      free: sum(rooms.map(({ room, occupants }) => places(room, occupants, gpu, sizes))),
      memoryBytes,
    }),
  )
}

/** The host with most room for a type, of those that have not been tried. Throws `DriverFault` where none has any. */
async function roomiest(
  hosts: readonly DockerHost[],
  gpu: string,
  { sizes, tried, signal, occupantsOf }: RoomSearch,
): Promise<{ readonly host: DockerHost; readonly devices: readonly string[] }> {
  const candidates = await onReachable(hosts, async host => {
    const [room, occupants] = await Promise.all([host.room(signal), occupantsOf(host, signal)])
    return { host, free: places(room, occupants, gpu, sizes), devices: freeDevices(room, occupants, gpu) }
  })
  if (candidates.length === 0) throw new DriverFault('unavailable', 'No container engine answers.')
  const [best] = candidates
    .filter(({ host, free }) => free > 0 && !tried.has(host))
    .sort((one, other) => other.free - one.free)
  if (best === undefined) throw new DriverFault('no_capacity', `No host has a free place for ${gpu}.`)
  return best
}

interface RoomSearch {
  readonly sizes: ReplicaSizes
  readonly tried: ReadonlySet<DockerHost>
  readonly signal: AbortSignal
  readonly occupantsOf: (host: DockerHost, signal: AbortSignal) => Promise<Occupant[]>
}

/** What the hosts that answer say. */
async function onReachable<T>(hosts: readonly DockerHost[], ask: (host: DockerHost) => Promise<T>): Promise<T[]> {
  const answers = await Promise.all(
    hosts.map(async host => {
      try {
        return [await ask(host)]
      } catch (error) {
        if (error instanceof DriverFault && error.reason === 'unavailable') return []
        throw error
      }
    }),
  )
  return answers.flat()
}

/** A host whose disk is full, say, has places by its processors still. */
function isOfThisHost(error: unknown): boolean {
  const reasons = ['no_capacity', 'port_taken', 'ports_unsupported', 'volume_unsupported']
  return error instanceof DriverFault && reasons.includes(error.reason)
}

function pulling({ replica, host }: { readonly replica: ReplicaSpec; readonly host: DockerHost }): ObservedReplica {
  const { name, tenant, instance, index, generation, gpu } = replica
  return { name, tenant, instance, index, generation, gpu, host: host.name, state: 'pulling', ports: [] }
}
