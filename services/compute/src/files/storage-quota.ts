/** How many bytes a tenant's files hold, and the changes of that which are under way. */
import { fail } from '@millhand/api'
import { type Clock, KeyedBatcher } from '@millhand/process'
import type { Collection, CollectionSpec, Document } from '@millhand/store'
import { dueDocuments } from './due-documents.ts'

/** A file that comes or goes. Its bytes are counted until it is settled, whatever has become of the file. */
export interface Intent {
  readonly id: string
  readonly kind: 'upload' | 'removal'
  readonly file: string
  readonly sha256: string
  readonly bytes: number
  /** Milliseconds since 1970. */
  readonly at: number
}

export interface StorageRecord extends Document {
  /** Of every file that is there, and of the intents' files. */
  readonly bytes: number
  /** In the order in which they were noted. */
  readonly intents: readonly Intent[]
  readonly state: 'settled' | 'unsettled'
  /** When the sweeper settles the oldest intent: whoever had it is dead. */
  readonly due_at?: number | undefined
}

export const storageSpec = {
  name: 'storage',
  indexes: { due: { fields: ['due_at'], when: { field: 'state', in: ['unsettled'] } } },
} as const satisfies CollectionSpec

const ID = 'storage'

/** Far more than the milliseconds from the last byte of an upload to its answer. */
const SETTLED_WITHIN_MS = 3_600_000

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

type State = Pick<StorageRecord, 'bytes' | 'intents'>

/** A change of a tenant's document that somebody waits for. */
interface Wanted {
  /** The same state where nothing is to change; what it throws refuses this change alone. */
  readonly to: (before: State) => State
  /** Before whoever waits goes on. */
  readonly onChanged: (() => void) | undefined
  refusal: unknown
}

function changed(before: State, wanted: Wanted): State {
  wanted.refusal = undefined
  try {
    return wanted.to(before)
  } catch (error) {
    wanted.refusal = error
    return before
  }
}

export function createStorage(deps: {
  readonly collection: Collection<StorageRecord, 'due'>
  readonly clock: Clock
  /** Of each tenant. */
  readonly quotaBytes: number
}) {
  const { collection, clock, quotaBytes } = deps
  const batcher = new KeyedBatcher<Wanted>()
  const tenants = new Map<string, UnderWay>()

  async function read(tenant: string): Promise<State & { readonly version: number }> {
    return (await collection.get(tenant, ID)) ?? { bytes: 0, intents: [], version: 0 }
  }

  const written = async (tenant: string, { bytes, intents }: State, version: number): Promise<boolean> => {
    const [oldest] = intents
    const document = {
      tenant,
      id: ID,
      bytes,
      intents,
      state: oldest ? 'unsettled' : 'settled',
      due_at: oldest && oldest.at + SETTLED_WITHIN_MS,
    } as const
    const result = await collection.write(
      version === 0 ? { kind: 'insert', document, events: [] } : { kind: 'replace', version, document, events: [] },
    )
    return result.kind === 'written'
  }

  /** In one write, where there is something to write; again where a replica was faster. */
  async function changeAll(tenant: string, wanted: readonly Wanted[]): Promise<void> {
    for (;;) {
      const before = await read(tenant)
      const after = wanted.reduce<State>(changed, before)
      if (after !== before && !(await written(tenant, after, before.version))) continue
      const known = tenants.get(tenant)
      if (known !== undefined) known.used = after.bytes
      for (const { refusal, onChanged } of wanted) if (refusal === undefined) onChanged?.()
      return
    }
  }

  /** So that a tenant's uploads do not fight for one document, and those at once do not wait for two writes each. */
  async function change(tenant: string, to: Wanted['to'], onChanged?: () => void): Promise<void> {
    const wanted: Wanted = { to, onChanged, refusal: undefined }
    await batcher.join(tenant, wanted, all => changeAll(tenant, all))
    if (wanted.refusal !== undefined) throw wanted.refusal
  }

  function checkRoom(used: number, bytes: number, underWay = 0): void {
    if (used + underWay + bytes <= quotaBytes) return
    const [held, most, more, coming] = [used, quotaBytes, bytes, underWay].map(each => each.toLocaleString('en'))
    const others = underWay === 0 ? '' : `, and other uploads under way ${coming}`
    throw fail(
      'storage_quota_exceeded',
      `The account's files hold ${held} of the ${most} bytes that they may${others}; there is no room for ${more} more.`,
      { metadata: { used: String(used), quota: String(quotaBytes), size: String(bytes) } },
    )
  }

  function arrival(tenant: string, known: UnderWay): Arrival {
    let came = 0
    let isOver = false
    const leave = () => {
      known.bytes -= came
      came = 0
    }
    return {
      async add(bytes) {
        if (known.used + known.bytes + bytes > quotaBytes) {
          // Another replica may have removed files. Not beside a change, since what that takes would count twice.
          await change(tenant, before => before)
          try {
            checkRoom(known.used, came + bytes, known.bytes - came)
          } catch (error) {
            leave()
            throw error
          }
        }
        came += bytes
        known.bytes += bytes
      },

      async take(make) {
        let intent: Intent | undefined
        await change(
          tenant,
          ({ bytes, intents }) => {
            intent = make()
            checkRoom(bytes, intent.bytes)
            return { bytes: bytes + intent.bytes, intents: [...intents, intent] }
          },
          leave,
        )
        return intent as unknown as Intent
      },

      end() {
        if (isOver) return
        isOver = true
        leave()
        if (--known.uploads === 0) tenants.delete(tenant)
      },
    }
  }

  return {
    /** Begins an upload, or fails with `storage_quota_exceeded` where not one byte more would fit. */
    async begin(tenant: string): Promise<Arrival> {
      const { bytes: used } = await read(tenant)
      checkRoom(used, 1)
      const known = tenants.get(tenant) ?? { uploads: 0, bytes: 0, used }
      tenants.set(tenant, known)
      known.uploads++
      return arrival(tenant, known)
    },

    /** Notes that a file is about to be removed. */
    async announce(tenant: string, intent: Intent): Promise<void> {
      await change(tenant, ({ bytes, intents }) => ({ bytes, intents: [...intents, intent] }))
    },

    /** Ends an intent; its bytes no longer count where the file is gone. Nothing happens where it was settled before. */
    async settle(tenant: string, { id, bytes: freed }: Intent, isGone: boolean): Promise<void> {
      await change(tenant, before => {
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
