/**
 * Room on the disk of the data folder. While there is little, new documents and contents are refused and what is left is
 * for what protects: revocations, cancels, ends of tasks, removals. A file is kept as a reserve: where the disk is full
 * all the same, because others write to it too, it is removed and makes that room.
 */
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { open, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, everyInterval } from '@millhand/process'
import { type Log, processMetrics } from '@millhand/telemetry'
import { faultOf, noRoom } from './faults.ts'

export interface DiskRoomOptions {
  readonly folder: string
  /** The size of the reserve; at most a sixteenth of the disk. */
  readonly reserveBytes: number
  readonly log: Pick<Log, 'info' | 'warn'>
  /** Bytes that can be written to the folder's disk, and its size. */
  readonly measure?: (folder: string) => Promise<{ readonly free: number; readonly size: number }>
}

/** Multiples of the reserve, of free bytes: below the first all new documents are refused, below the last all contents. */
const LOW = 2
const RECOVERED = 3
const CONTENTS = 6
const CHUNK = 2 ** 20

export class DiskRoom {
  readonly #options: DiskRoomOptions
  readonly #file: string
  #free = Number.POSITIVE_INFINITY
  #reserve: number
  #isReserved = false
  #isLow = false

  constructor(options: DiskRoomOptions) {
    this.#options = options
    this.#file = join(options.folder, 'reserve')
    this.#reserve = options.reserveBytes
  }

  /** Whether new documents are refused. */
  get isLow(): boolean {
    return this.#isLow
  }

  /** Why, in words. */
  get reason(): string {
    const { folder } = this.#options
    if (this.#free < (RECOVERED + 1) * this.#reserve) return `the disk of ${folder} has ${mib(this.#free)} MiB left`
    return `the reserve of ${mib(this.#reserve)} MiB can't be written to ${folder}: a quota may be used up`
  }

  /** Measures each second until the signal ends. */
  async run(clock: Clock, signal: AbortSignal): Promise<void> {
    let isMeasured = true
    const end = processMetrics.observe(() =>
      Number.isFinite(this.#free) ? [{ name: 'millhand_disk_free_bytes', labels: {}, value: this.#free }] : [],
    )
    await everyInterval(clock, 1_000, signal, async () => {
      try {
        await this.look()
        isMeasured = true
      } catch (error) {
        if (isMeasured) this.#options.log.warn('disk.not_measured', { error })
        isMeasured = false
      }
    })
    end()
  }

  /** Measures now, and makes the reserve where there is room for it. */
  async look(): Promise<void> {
    const { folder, reserveBytes, measure = measured } = this.#options
    const { free, size } = await measure(folder)
    this.#reserve = Math.min(reserveBytes, Math.floor(size / 16))
    this.#free = free
    if (!this.#isReserved) await this.#makeReserve()
    const least = this.#isLow ? RECOVERED : LOW
    this.#setLow(!this.#isReserved || this.#free < least * this.#reserve)
  }

  /** Gives the reserve to what is being written; false where it is gone already, or can't be removed. */
  release(): boolean {
    if (!this.#isReserved) return false
    try {
      rmSync(this.#file, { force: true })
    } catch {
      // SQLite tells of a read-only disk as of a full one. The write that is tried fails for itself.
      return false
    }
    this.#isReserved = false
    this.#free = 0
    this.#setLow(true)
    return true
  }

  /** Takes room for contents. Throws `unavailable` where they would leave too little. */
  takeForContents(bytes: number): void {
    if (this.#free - bytes < CONTENTS * this.#reserve) throw noRoom()
    this.#free -= bytes
  }

  explain(error: unknown): unknown {
    return faultOf(error) === 'full' ? noRoom(error) : error
  }

  async #makeReserve(): Promise<void> {
    const there = await stat(this.#file).catch(() => undefined)
    if (there?.size === this.#reserve) {
      this.#isReserved = true
      return
    }
    const free = this.#free + (there?.size ?? 0)
    if (free < (RECOVERED + 1) * this.#reserve) return
    try {
      await writeReserve(this.#file, this.#reserve)
      this.#isReserved = true
      this.#free = free - this.#reserve
    } catch {
      await rm(this.#file, { force: true })
    }
  }

  #setLow(isLow: boolean): void {
    if (isLow === this.#isLow) return
    this.#isLow = isLow
    const { folder, log } = this.#options
    const fields = { folder, free_bytes: this.#free }
    if (isLow) log.warn('disk.low', { ...fields, remedy: 'make room: until then nothing new is accepted' })
    else log.info('disk.has_room', fields)
  }
}

async function measured(folder: string) {
  const { bavail, bsize, blocks } = await statfs(folder)
  return { free: bavail * bsize, size: blocks * bsize }
}

/** Not zeros: a disk that compresses would keep no room for them. */
async function writeReserve(path: string, size: number): Promise<void> {
  const chunk = randomBytes(Math.min(size, CHUNK))
  await using file = await open(path, 'w', 0o600)
  for (let left = size; left > 0; left -= chunk.length) await file.writeFile(chunk.subarray(0, left))
}

const mib = (bytes: number) => Math.floor(bytes / 2 ** 20)
