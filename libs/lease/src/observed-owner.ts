import type { Clock } from '@millhand/process'
import { type Collection, type CollectionSpec, type Document, noAccount } from '@millhand/store'

export interface OwnerRecord extends Document {
  /** The process; empty when it has given the place up. */
  readonly holder: string
  /** Where it is reached by other replicas. */
  readonly address: string
}

export const ownersSpec = { name: 'owners', indexes: {} } as const satisfies CollectionSpec

/** What a look at the record has shown. Times are by the monotonic clock. */
export interface Seen {
  readonly record: OwnerRecord | undefined
  readonly askedAt: number
  readonly at: number
  /** For how long it has been the same, as far as the store has answered. */
  readonly unchangedMs: number
}

/** The record of who owns something, as one replica reads and writes it. */
export class ObservedOwner {
  readonly #options: ObservedOptions
  readonly #maxBetweenMs: number
  /** Of this life of the process: another life is another holder, also at the same address. */
  readonly holder = crypto.randomUUID()
  #seen: Seen | undefined
  /** How often another life at our address was seen to renew. */
  #namesakeRenewed = 0
  #hasFailed = false

  /** `maxBetweenMs`: between two answers at most so much counts as seen. */
  constructor(options: ObservedOptions, maxBetweenMs: number) {
    this.#options = options
    this.#maxBetweenMs = maxBetweenMs
  }

  get seen(): Seen | undefined {
    return this.#seen
  }

  get namesakeRenewed(): number {
    return this.#namesakeRenewed
  }

  isOurs(record: OwnerRecord | undefined): boolean {
    return record?.holder === this.holder
  }

  read(): Promise<OwnerRecord | undefined> {
    return this.#options.owners.get(noAccount, this.#options.name)
  }

  /** Makes `by` the holder; false where the record is no longer as it was. */
  async write(record: OwnerRecord | undefined, by: string): Promise<boolean> {
    const { owners, name, address } = this.#options
    const document = { tenant: noAccount, id: name, holder: by, address }
    const change = record
      ? ({ kind: 'replace', version: record.version, document, events: [] } as const)
      : ({ kind: 'insert', document, events: [] } as const)
    return (await owners.write(change)).kind === 'written'
  }

  /** Reads who has the lease. Undefined where an attempt that began later was answered before. */
  async look(): Promise<Seen | undefined> {
    const { clock } = this.#options
    const askedAt = clock.monotonic()
    const record = await this.read()
    this.#hasFailed = false
    const before = this.#seen
    if (before && before.askedAt > askedAt) return undefined
    const at = clock.monotonic()
    const isUnchanged = before !== undefined && before.record?.version === record?.version
    if (!isUnchanged) {
      const isSameLife = before?.record?.holder === record?.holder
      this.#namesakeRenewed = this.#isNamesake(record) && isSameLife ? this.#namesakeRenewed + 1 : 0
    }
    // A renewal may have been under way for as long as no answer came, so that time does not count.
    const unchangedMs = before && isUnchanged ? before.unchangedMs + Math.min(at - before.at, this.#maxBetweenMs) : 0
    this.#seen = { record, askedAt, at, unchangedMs }
    return this.#seen
  }

  /** The store could not be asked. */
  failed(error: unknown): void {
    if (!this.#hasFailed) this.#options.onError(error)
    this.#hasFailed = true
  }

  /** Another life at our address: an earlier one of this process, or a process that advertises it too. */
  #isNamesake(record: OwnerRecord | undefined): boolean {
    return (
      record !== undefined &&
      record.address === this.#options.address &&
      record.holder !== '' &&
      record.holder !== this.holder
    )
  }
}

interface ObservedOptions {
  readonly owners: Collection<OwnerRecord>
  readonly name: string
  readonly address: string
  readonly clock: Clock
  /** Hears when the store can't be asked, once until it has answered again. */
  readonly onError: (error: unknown) => void
}
