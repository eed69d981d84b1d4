/** Where a replica fits. */
import type { ReplicaSizes } from '../replica-size.ts'

export interface HostRoom {
  readonly cpus: number
  readonly memoryBytes: number
  /** The ids of a host's GPUs, by type. */
  readonly devices: ReadonlyMap<string, readonly string[]>
}

/** A replica that takes room: one that is in the engine, or that is about to be. */
export interface Occupant {
  readonly gpu: string
  readonly devices: readonly string[]
}

/** How many replicas of a type fit beside those that are there. */
export function places(room: HostRoom, occupants: readonly Occupant[], gpu: string, sizes: ReplicaSizes): number {
  const size = sizes[gpu]
  if (size === undefined) return 0
  let { cpus, memoryBytes } = room
  for (const occupant of occupants) {
    cpus -= sizes[occupant.gpu]?.cpus ?? 0
    memoryBytes -= sizes[occupant.gpu]?.memoryBytes ?? 0
  }
  // Fractions of processors do not add up exactly.
  const fit = Math.min(Math.floor(cpus / size.cpus + 1e-6), Math.floor(memoryBytes / size.memoryBytes))
  return Math.max(0, gpu === 'cpu' ? fit : Math.min(fit, freeDevices(room, occupants, gpu).length))
}

export function freeDevices(room: HostRoom, occupants: readonly Occupant[], gpu: string): readonly string[] {
  const taken = new Set(occupants.flatMap(({ devices }) => devices))
  return (room.devices.get(gpu) ?? []).filter(id => !taken.has(id))
}

/** What the engine says of its host. GPUs are in its labels, `millhand.gpu.<type>=<id>,<id>`: it does not know them itself. */
export function roomOf(info: {
  readonly NCPU: number
  readonly MemTotal: number
  readonly Labels?: readonly string[] | null
}): HostRoom {
  const devices = new Map<string, readonly string[]>()
  for (const label of info.Labels ?? []) {
    const [, type, ids] = /^millhand\.gpu\.([^=]+)=(.*)$/.exec(label) ?? []
    if (type !== undefined && ids !== undefined)
      devices.set(
        type,
        ids.split(',').filter(id => id !== ''),
      )
  }
  return { cpus: info.NCPU, memoryBytes: info.MemTotal, devices }
}
