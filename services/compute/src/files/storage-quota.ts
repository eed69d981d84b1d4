/** How many bytes a tenant's files hold, and the changes of that which are under way. */
import { fail } from '@millhand/api'
import type { Clock } from '@millhand/process'
import type { Collection } from '@millhand/store'
import { dueDocuments } from './due-documents.ts'
import { type Intent, SETTLED_WITHIN_MS, type StorageRecord, StorageStates } from './storage-states.ts'

/** The bytes of one upload as they come. */
export interface Arrival {
  /**
   * Counts bytes that have come, or fails with `storage_quota_exceeded` where they do not fit beside the tenant's files
   * and what else comes here at the same time. Then the others have the room that this upload had.
   */
  add(bytes: number): Promise<void>
  /**
   * Counts them as a file's, or fails with `storage_quota_exceeded`. The intent is made when its turn has come, so that
   * the ids of files do not grow old in the line.
   */
  take(make: () => Intent): Promise<Intent>
  /** Nothing comes any more. Idempotent. */
  end(): void
}

/** What is known in this process of a tenant with uploads under way. */
interface UnderWay {
  uploads: number
  bytes: number
  /** What its files hold, as this process has last seen. */
  used: number
}

export type Storage = ReturnType<typeof createStorage>

export function createStorage(deps: {
  readonly collection: Collection<StorageRecord, 'due'>
  readonly clock: Clock
  /** Of each tenant. */
  readonly quotaBytes: number
}) {
  const { collection, clock, quotaBytes } = deps
  const tenants = new Map<string, UnderWay>()
  const states = new StorageStates(collection, (tenant, { bytes }) => {
    const known = tenants.get(tenant)
    if (known !== undefined) known.used = bytes
  })

  return {
    /** Begins an upload, or fails with `storage_quota_exceeded` where not one byte more would fit. */
    async begin(tenant: string): Promise<Arrival> {
      const { bytes: used } = await states.read(tenant)
      checkRoom(quotaBytes, used, 1)
      const known = tenants.get(tenant) ?? { uploads: 0, bytes: 0, used }
      tenants.set(tenant, known)
      known.uploads++
      return new CountedArrival(states, quotaBytes, tenant, known, () => {
        if (--known.uploads === 0) tenants.delete(tenant)
      })
    },

    /** Fails with `storage_quota_exceeded` where so many bytes more would not fit now. */
    async requireRoom(tenant: string, bytes: number): Promise<void> {
      checkRoom(quotaBytes, (await states.read(tenant)).bytes, bytes)
    },

    /**
     * Counts bytes that are here already for one more holder, or fails with `storage_quota_exceeded`. The intents that
     * were noted before this one.
     */
    async add(tenant: string, intent: Intent): Promise<readonly Intent[]> {
      let before: readonly Intent[] = []
      await states.change(tenant, ({ bytes, intents }) => {
        checkRoom(quotaBytes, bytes, intent.bytes)
        before = intents
        return { bytes: bytes + intent.bytes, intents: [...intents, intent] }
      })
      return before
    },

    /** Notes that a file is about to be removed. */
    async announce(tenant: string, intent: Intent): Promise<void> {
      await states.change(tenant, ({ bytes, intents }) => ({ bytes, intents: [...intents, intent] }))
    },

    /** Ends an intent; its bytes no longer count where the file is gone. Nothing happens where it was settled before. */
    async settle(tenant: string, { id, bytes: freed }: Intent, isGone: boolean): Promise<void> {
      await states.change(tenant, before => {
        const intents = before.intents.filter(each => each.id !== id)
        if (intents.length === before.intents.length) return before
        return { bytes: isGone ? before.bytes - freed : before.bytes, intents }
      })
    },

    /** Intents that nobody settles any more. */
    async *abandoned(signal: AbortSignal): AsyncGenerator<{ readonly tenant: string; readonly intent: Intent }, void> {
      const now = clock.now()
      for await (const { tenant, intents } of dueDocuments(collection, now, signal)) {
        for (const intent of intents) if (intent.at + SETTLED_WITHIN_MS < now) yield { tenant, intent }
      }
    },
  }
}

/** The bytes of one upload. */
class CountedArrival implements Arrival {
  readonly #states: StorageStates
  readonly #quotaBytes: number
  readonly #tenant: string
  readonly #known: UnderWay
  readonly #onEnd: () => void
  #came = 0
  #isOver = false

  constructor(states: StorageStates, quotaBytes: number, tenant: string, known: UnderWay, onEnd: () => void) {
    this.#states = states
    this.#quotaBytes = quotaBytes
    this.#tenant = tenant
    this.#known = known
    this.#onEnd = onEnd
  }

  async add(bytes: number): Promise<void> {
    const known = this.#known
    if (known.used + known.bytes + bytes > this.#quotaBytes) {
      // Another replica may have removed files. Not beside a change, since what that takes would count twice.
      await this.#states.change(this.#tenant, before => before)
      try {
        checkRoom(this.#quotaBytes, known.used, this.#came + bytes, known.bytes - this.#came)
      } catch (error) {
        this.#leave()
        throw error
      }
    }
    this.#came += bytes
    known.bytes += bytes
  }

  async take(make: () => Intent): Promise<Intent> {
    let intent: Intent | undefined
    await this.#states.change(
      this.#tenant,
      ({ bytes, intents }) => {
        intent = make()
        checkRoom(this.#quotaBytes, bytes, intent.bytes)
        return { bytes: bytes + intent.bytes, intents: [...intents, intent] }
      },
      () => this.#leave(),
    )
    return intent as unknown as Intent
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#leave()
    this.#onEnd()
  }

  #leave(): void {
    this.#known.bytes -= this.#came
    this.#came = 0
  }
}

function checkRoom(quotaBytes: number, used: number, bytes: number, underWay = 0): void {
  if (used + underWay + bytes <= quotaBytes) return
  const [held, most, more, coming] = [used, quotaBytes, bytes, underWay].map(each => each.toLocaleString('en'))
  const others = underWay === 0 ? '' : `, and other uploads under way ${coming}`
  throw fail(
    'storage_quota_exceeded',
    `The account's files hold ${held} of the ${most} bytes that they may${others}; there is no room for ${more} more.`,
    { metadata: { used: String(used), quota: String(quotaBytes), size: String(bytes) } },
  )
}
