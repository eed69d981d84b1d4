/**
 * What a key holds, and which files lie behind it unseen: one document a key, changed by one atomic write at a time. A
 * file is a set of chunks (`chunk-files.ts`). Nobody sees it until its key's record names it as `current`, and it is
 * named in one of the record's three places from before its first chunk is written until its last one is removed.
 */
import { type Collection, type Filter, MongoServerError, type ObjectId } from 'mongodb'
import type { ChunkFile } from './chunk-files.ts'

export interface BlobRecord {
  /** The key. */
  readonly _id: string
  /** What a reader gets; null before the first upload has ended, and after a delete. */
  readonly current: Current | null
  /** What is being written. */
  readonly uploads: readonly Upload[]
  /** What was replaced or deleted, for those who are still reading it, and uploads that were given up. */
  readonly garbage: readonly Garbage[]
}

interface Current extends ChunkFile {
  readonly sha256: string
  readonly written_at: Date
}

interface Upload {
  readonly file: ObjectId
  /** Its writer has died if it does not move this on. */
  readonly sweep_at: Date
}

interface Garbage {
  readonly file: ObjectId
  readonly sweep_at: Date
  readonly was_current: boolean
}

/** A writer that was silent for so long has died. */
const UPLOAD_MS = 24 * 3_600_000
/** So long may a stream go on reading what was replaced or deleted. */
const READ_MS = 3_600_000
/** Records asked for at once. */
const PAGE = 500

/** The atomic writes. `now` is in milliseconds since 1970. */
export class BlobRecords {
  readonly #records: Collection<BlobRecord>

  constructor(records: Collection<BlobRecord>) {
    this.#records = records
  }

  async current(key: string): Promise<Current | null> {
    const record = await this.#records.findOne({ _id: key }, { projection: { current: 1 } })
    return record?.current ?? null
  }

  async createIndexes(): Promise<void> {
    await this.#records.createIndex({ 'uploads.sweep_at': 1 })
    await this.#records.createIndex({ 'garbage.sweep_at': 1 })
  }

  async begin(key: string, file: ObjectId, now: number): Promise<void> {
    const upload = { file, sweep_at: new Date(now + UPLOAD_MS) }
    const change = { $push: { uploads: upload }, $setOnInsert: { current: null, garbage: [] } }
    const begin = () => this.#records.updateOne({ _id: key }, change, { upsert: true })
    // Two first uploads of a key may both try to insert its record.
    await begin().catch(error => {
      if (error instanceof MongoServerError && error.code === 11000) return begin()
      throw error
    })
  }

  /** The upload is still under way. */
  async renew(key: string, file: ObjectId, now: number): Promise<void> {
    const sweep_at = new Date(now + UPLOAD_MS)
    await this.#records.updateOne({ _id: key, 'uploads.file': file }, { $set: { 'uploads.$.sweep_at': sweep_at } })
  }

  /** Makes what was uploaded what readers get. Throws when the upload was swept. */
  async commit(key: string, next: Current, now: number): Promise<void> {
    for (;;) {
      const record = await this.#records.findOne({ _id: key, 'uploads.file': next.file })
      if (record === null) throw new Error(`the upload of ${key} was swept: its writer was silent for a day`)
      const { matchedCount } = await this.#records.updateOne(
        { ...holding(key, record.current), 'uploads.file': next.file },
        {
          $set: { current: next },
          $pull: { uploads: { file: next.file } },
          $push: { garbage: { $each: record.current ? [replaced(record.current, now)] : [] } },
        },
      )
      if (matchedCount === 1) return
      // Another put or a delete was faster: we replace what it left.
    }
  }

  /**
   * Gives an upload up, so that it can't be committed any more, and says what has become of it: it may have been
   * `committed` before, by a write whose answer was lost, or `swept`, and then no record names it.
   */
  async abandon(key: string, file: ObjectId, now: number): Promise<'abandoned' | 'committed' | 'swept'> {
    if (await this.#discard(key, file, now)) return 'abandoned'
    const committed = { $or: [{ 'current.file': file }, { garbage: { $elemMatch: { file, was_current: true } } }] }
    return (await this.#records.findOne({ _id: key, ...committed })) === null ? 'swept' : 'committed'
  }

  /** Readers find nothing any more. */
  async remove(key: string, now: number): Promise<void> {
    for (let found = await this.current(key); found !== null; found = await this.current(key)) {
      const { matchedCount } = await this.#records.updateOne(holding(key, found), {
        $set: { current: null },
        $push: { garbage: replaced(found, now) },
      })
      if (matchedCount === 1) return
    }
  }

  /** What readers find under the keys that begin with the prefix. */
  async *list(prefix: string): AsyncGenerator<{ readonly key: string; readonly current: Current }, void> {
    for await (const { _id: key, current } of this.#byKey({ current: { $ne: null } }, prefix)) {
      if (current !== null) yield { key, current }
    }
  }

  /** Gives up the uploads whose writers have died. */
  async abandonSilent(now: number, signal: AbortSignal): Promise<void> {
    for await (const { _id: key, uploads } of this.#byKey({ 'uploads.sweep_at': { $lte: new Date(now) } })) {
      for (const { file, sweep_at } of uploads) {
        signal.throwIfAborted()
        if (sweep_at.getTime() <= now) await this.#discard(key, file, now, now)
      }
    }
  }

  /** The files that may be removed. */
  async *garbage(now: number): AsyncGenerator<{ readonly key: string; readonly file: ObjectId }, void> {
    for await (const { _id: key, garbage } of this.#byKey({ 'garbage.sweep_at': { $lte: new Date(now) } })) {
      for (const { file, sweep_at } of garbage) if (sweep_at.getTime() <= now) yield { key, file }
    }
  }

  /** The file's chunks are gone. A record that has nothing more to say goes too. */
  async forget(key: string, file: ObjectId): Promise<void> {
    await this.#records.updateOne({ _id: key }, { $pull: { garbage: { file } } })
    await this.#records.deleteOne({ _id: key, current: null, uploads: { $size: 0 }, garbage: { $size: 0 } })
  }

  /** In pages, since the server forgets a cursor that its reader leaves alone for ten minutes. */
  async *#byKey(filter: Filter<BlobRecord>, prefix = ''): AsyncGenerator<BlobRecord, void> {
    const end = `${prefix}\u007f` // No key has a character as high as DEL.
    for (let last: string | undefined; ; ) {
      const _id = last === undefined ? { $gte: prefix, $lt: end } : { $gt: last, $lt: end }
      const page: BlobRecord[] = await this.#records
        .find({ ...filter, _id }, { sort: { _id: 1 }, limit: PAGE })
        .toArray()
      yield* page
      last = page[PAGE - 1]?._id
      if (last === undefined) return
    }
  }

  /** Makes garbage of an upload, where that is still one, and none that was renewed to after `silentUntil`. */
  async #discard(key: string, file: ObjectId, now: number, silentUntil?: number): Promise<boolean> {
    const upload = silentUntil === undefined ? { file } : { file, sweep_at: { $lte: new Date(silentUntil) } }
    const { matchedCount } = await this.#records.updateOne(
      { _id: key, uploads: { $elemMatch: upload } },
      { $pull: { uploads: { file } }, $push: { garbage: { file, sweep_at: new Date(now), was_current: false } } },
    )
    return matchedCount === 1
  }
}

/** Matches while nobody has replaced or deleted what was read. */
const holding = (key: string, current: Current | null) =>
  current === null ? { _id: key, current } : { _id: key, 'current.file': current.file }

const replaced = ({ file }: Current, now: number): Garbage => ({
  file,
  sweep_at: new Date(now + READ_MS),
  was_current: true,
})
