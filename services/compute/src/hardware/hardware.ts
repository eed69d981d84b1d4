/**
 * The GPUs that executors have, in the memory of the owner of the queues. Each claim names its executor's GPU, so a new owner
 * has them all once each executor has claimed.
 */
import type { KeyMode } from '@millhand/api'
import type { Device } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Clock } from '@millhand/process'

export interface GpuTypeInUse {
  readonly id: string
  readonly name: string
  /** In MiB; 0 where it is not known. */
  readonly memoryMb: number
  /** Pieces of hardware that executors have now. */
  readonly available: number
  readonly providers: readonly string[]
}

interface Seen {
  readonly mode: KeyMode
  readonly device: Device
  /** By the monotonic clock. */
  at: number
}

/** An executor that is there claims or renews within half a minute. */
const PRESENT_MS = 60_000
/** How long tasks are still accepted for what has gone: an executor that is started again takes them up. */
export const KNOWN_MS = 600_000
/** Executors have claimed at a new owner within this time. */
const ASKED_MS = 10_000
const MOST_EXECUTORS = 10_000

export class Hardware {
  readonly #clock: Clock
  /** By executor. */
  readonly #seen = new Map<string, Seen>()
  #since: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#since = clock.monotonic()
  }

  /** This replica has become the owner: what it knows may have changed. */
  begin(): void {
    this.#since = this.#clock.monotonic()
  }

  /** An executor asks for work of a mode that runs on this device. */
  claimed(mode: KeyMode, executorId: string, device: Device): void {
    this.#seen.delete(executorId)
    this.#seen.set(executorId, { mode, device, at: this.#clock.monotonic() })
    const [oldest] = this.#seen.keys()
    if (this.#seen.size > MOST_EXECUTORS && oldest !== undefined) this.#seen.delete(oldest)
  }

  /** An executor is busy, and there. */
  renewed(executorId: string): void {
    const seen = this.#seen.get(executorId)
    if (seen) seen.at = this.#clock.monotonic()
  }

  /** Whether each executor has had time to claim. */
  get isKnown(): boolean {
    return this.#clock.monotonic() - this.#since >= ASKED_MS
  }

  /** What executors have, or had within the last 10 minutes, by id. */
  types(mode: KeyMode): GpuTypeInUse[] {
    const now = this.#clock.monotonic()
    const byType = new Map<string, { device: Device; present: Set<string>; providers: Set<string> }>()
    for (const [executorId, seen] of this.#seen) {
      const age = now - seen.at
      if (age > KNOWN_MS) this.#seen.delete(executorId)
      else if (seen.mode === mode) {
        const { device } = seen
        const type = byType.get(device.gpuType) ?? { device, present: new Set(), providers: new Set() }
        byType.set(device.gpuType, type)
        type.providers.add(device.provider)
        if (age <= PRESENT_MS) type.present.add(device.id)
      }
    }
    return [...byType]
      .map(
        ([
          id,
          {
            device: { name, memoryMb },
            present,
            providers,
          },
        ]) => ({
          ...{ id, name, memoryMb, available: present.size },
          providers: [...providers].sort(),
        }),
      )
      .sort((a, b) => (a.id < b.id ? -1 : 1))
  }
}
