/** Copies of accounts' own models, by their content, on this machine's disk. docs/decisions/own-models.md, "On the executor". */
import { createHash } from 'node:crypto'
import { renameSync, statSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '@connectrpc/connect'
import type { Lease, LeasedModel } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import type { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { ensureTempFolder, makeTempFolder, removeTempFolder } from '@millhand/child-process'
import type { Clock } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import { runRefOf } from './input-files.ts'
import { runFields } from './lease.ts'
import { retryWhileUnavailable, transferMs } from './retry-while-unavailable.ts'

type ReadsModels = Pick<Client<typeof LeaseService>, 'readModel'>

export interface ModelCopiesOptions {
  readonly leases: ReadsModels
  /** What all copies may have together; those that runs hold may have more. */
  readonly mostBytes: number
  readonly clock: Clock
  readonly log: Log
}

interface Copy {
  readonly bytes: number
  holders: number
}

/** What is read is not what the lease says. */
export class ModelDamaged extends Error {}

/** Keeps what no run holds as long as there is room, and removes the least recently used first. */
export class ModelCopies {
  readonly #options: ModelCopiesOptions
  #made: string | undefined
  /** By path, the least recently used first. */
  readonly #copies = new Map<string, Copy>()
  /** By path. */
  readonly #fetches = new Map<string, Fetch>()
  #parts = 0

  constructor(options: ModelCopiesOptions) {
    this.#options = options
  }

  /** Made when it is first needed. */
  get #folder(): string {
    this.#made ??= makeTempFolder('copies')
    return this.#made
  }

  /** Where the copy of a tenant's model is while it is held. Of two tenants with the same content each has its own. */
  pathOf({ digest }: LeasedModel, tenant: string): string {
    return join(this.#folder, createHash('sha256').update(`${tenant} ${digest}`).digest('hex'))
  }

  /**
   * Has the copy there until the function that this resolves with is called. `lease` names a run that is lent with the
   * model. Rejects with what kept it from being read, with `ModelDamaged`, and where the signal ends. Those that want the
   * same copy at once wait for one fetch, which ends when the last of them is gone.
   */
  async hold(model: LeasedModel, lease: Lease, signal: AbortSignal): Promise<() => void> {
    const path = this.pathOf(model, lease.tenant)
    for (;;) {
      const copy = this.#copies.get(path)
      // A cleaner of temporary folders may have removed it.
      if (copy && isThere(path, copy)) return await this.#held(path, copy)
      const fetch = this.#fetches.get(path) ?? this.#begin(path, model, lease)
      try {
        await fetch.wait(signal)
      } catch (error) {
        // The lease of another run may have ended: that one's fetch, and not this one's.
        if (fetch.lease === lease || signal.aborted) throw error
      }
    }
  }

  async #held(path: string, copy: Copy): Promise<() => void> {
    this.#copies.delete(path)
    this.#copies.set(path, copy)
    copy.holders++
    await this.#makeRoom(this.#options.mostBytes)
    let isHeld = true
    return () => {
      if (isHeld) copy.holders--
      isHeld = false
    }
  }

  #begin(path: string, model: LeasedModel, lease: Lease): Fetch {
    const fetch = new Fetch(lease, signal => this.#fetchInto(path, model, lease, signal))
    this.#fetches.set(path, fetch)
    const end = () => {
      if (this.#fetches.get(path) === fetch) this.#fetches.delete(path)
    }
    fetch.over.then(end, end)
    return fetch
  }

  /** Removes all of them. Nothing may be held any more. */
  close(): void {
    this.#copies.clear()
    if (this.#made !== undefined) removeTempFolder(this.#made, this.#options.log)
  }

  /** Where the disk is full, what no run holds makes room. */
  async #fetchInto(path: string, model: LeasedModel, lease: Lease, signal: AbortSignal): Promise<void> {
    try {
      await this.#fetched(path, model, lease, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      await this.#makeRoom(0)
      await this.#fetched(path, model, lease, signal)
    }
  }

  async #fetched(path: string, model: LeasedModel, lease: Lease, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options
    const part = join(this.#folder, `part-${this.#parts++}`)
    try {
      ensureTempFolder(this.#folder)
      await retryWhileUnavailable(() => this.#fetch(part, model, lease, signal), {
        clock,
        signal,
        onFailure: error => log.warn('model.not_read', { ...runFields(lease), error }),
      })
      signal.throwIfAborted()
      renameSync(part, path)
      // Runs may hold one that was there before.
      this.#copies.set(path, this.#copies.get(path) ?? { bytes: model.bytes, holders: 0 })
    } finally {
      await rm(part, { force: true })
    }
  }

  async #fetch(part: string, { digest, bytes }: LeasedModel, lease: Lease, signal: AbortSignal): Promise<void> {
    const reading = new AbortController() // Connect's clients don't hear of a loop that ends early.
    const limits = { signal: AbortSignal.any([signal, reading.signal]), timeoutMs: transferMs(bytes) }
    const hash = createHash('sha256')
    let received = 0
    await using file = await open(part, 'w', 0o600)
    try {
      for await (const { data } of this.#options.leases.readModel({ run: runRefOf(lease) }, limits)) {
        received += data.length
        if (received > bytes) break
        hash.update(data)
        await file.writeFile(data)
      }
    } finally {
      reading.abort()
    }
    if (received !== bytes || `sha256:${hash.digest('hex')}` !== digest) {
      throw new ModelDamaged(`what was read of the model is not ${digest}`)
    }
  }

  /** What can't be removed goes with the folder. */
  async #remove(path: string): Promise<void> {
    const { log } = this.#options
    await rm(path, { force: true }).catch(error => log.warn('model.not_removed', { error }))
  }

  /**
   * Removes copies that nobody holds until all have at most so many bytes. Never rejects. Each is forgotten and renamed
   * at once: who holds the same model again meanwhile writes another file.
   */
  async #makeRoom(mostBytes: number): Promise<void> {
    const removed: string[] = []
    let bytes = [...this.#copies.values()].reduce((sum, copy) => sum + copy.bytes, 0)
    for (const [path, copy] of this.#copies) {
      if (bytes <= mostBytes) break
      if (copy.holders > 0) continue
      this.#copies.delete(path)
      bytes -= copy.bytes
      const waiting = join(this.#folder, `gone-${this.#parts++}`)
      try {
        renameSync(path, waiting)
        removed.push(waiting)
      } catch {
        // It is not there any more.
      }
    }
    await Promise.all(removed.map(each => this.#remove(each)))
  }
}

const isThere = (path: string, { bytes }: Copy): boolean => statSync(path, { throwIfNoEntry: false })?.size === bytes

/** A copy on its way, for all that wait for it. */
class Fetch {
  readonly lease: Lease
  readonly over: Promise<void>
  readonly #ending = new AbortController()
  #waiting = 0

  constructor(lease: Lease, begin: (signal: AbortSignal) => Promise<void>) {
    this.lease = lease
    this.over = begin(this.#ending.signal)
  }

  /** Until it is there. Rejects as it fails, and with the signal's reason. The last that leaves ends it. */
  async wait(signal: AbortSignal): Promise<void> {
    const { promise: given, reject } = Promise.withResolvers<never>()
    const leave = () => reject(signal.reason)
    this.#waiting++
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    try {
      await Promise.race([this.over, given])
    } finally {
      signal.removeEventListener('abort', leave)
      if (--this.#waiting === 0) this.#ending.abort()
    }
  }
}
