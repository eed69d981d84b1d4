/** The documents in which tenants' bytes are counted. */
import { KeyedBatcher } from '@millhand/process'
import type { Collection, CollectionSpec, Document } from '@millhand/store'

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

export const newIntent = (
  kind: Intent['kind'],
  { id, sha256, bytes }: { readonly id: string; readonly sha256: string; readonly bytes: number },
  at: number,
): Intent => ({ id: crypto.randomUUID(), kind, file: id, sha256, bytes, at })

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
export const SETTLED_WITHIN_MS = 3_600_000

type State = Pick<StorageRecord, 'bytes' | 'intents'>

/** Changes of tenants' documents. Those of a tenant that come at the same time are one write. */
export class StorageStates {
  readonly #collection: Collection<StorageRecord, 'due'>
  readonly #onSeen: (tenant: string, state: State) => void
  readonly #batcher = new KeyedBatcher<Wanted>()

  /** `onSeen` hears the state that a tenant has after each change, before whoever waits for that goes on. */
  constructor(collection: Collection<StorageRecord, 'due'>, onSeen: (tenant: string, state: State) => void) {
    this.#collection = collection
    this.#onSeen = onSeen
  }

  async read(tenant: string): Promise<State & { readonly version: number }> {
    return (await this.#collection.get(tenant, ID)) ?? { bytes: 0, intents: [], version: 0 }
  }

  /** So that a tenant's uploads do not fight for one document, and those at once do not wait for two writes each. */
  async change(tenant: string, to: Wanted['to'], onChanged?: () => void): Promise<void> {
    const wanted: Wanted = { to, onChanged, refusal: undefined }
    await this.#batcher.join(tenant, wanted, all => this.#changeAll(tenant, all))
    if (wanted.refusal !== undefined) throw wanted.refusal
  }

  /** In one write, where there is something to write; again where a replica was faster. */
  async #changeAll(tenant: string, wanted: readonly Wanted[]): Promise<void> {
    for (;;) {
      const before = await this.read(tenant)
      const after = wanted.reduce<State>(changed, before)
      if (after !== before && !(await this.#written(tenant, after, before.version))) continue
      this.#onSeen(tenant, after)
      for (const { refusal, onChanged } of wanted) if (refusal === undefined) onChanged?.()
      return
    }
  }

  async #written(tenant: string, { bytes, intents }: State, version: number): Promise<boolean> {
    const [oldest] = intents
    const document = {
      tenant,
      id: ID,
      bytes,
      intents,
      state: oldest ? 'unsettled' : 'settled',
      due_at: oldest && oldest.at + SETTLED_WITHIN_MS,
    } as const
    const result = await this.#collection.write(
      version === 0 ? { kind: 'insert', document, events: [] } : { kind: 'replace', version, document, events: [] },
    )
    return result.kind === 'written'
  }
}

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
