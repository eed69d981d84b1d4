/** Blobs in MongoDB, for many processes: chunks as GridFS keeps them, behind one record a key. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Clock } from '@millhand/process'
import { asked, timeoutsFor } from '@millhand/store/mongo/connection'
import { Binary, MongoClient, ObjectId } from 'mongodb'
import { type BlobInfo, type Blobs, checkBlobKey, checkBlobRange, cutBlobRange, type PutOptions } from '../blobs.ts'
import { type Content, hearErrors, parts } from '../content.ts'
import { type BlobRecord, BlobRecords } from './blob-records.ts'
import { type Chunk, type ChunkFiles, chunkFiles } from './chunk-files.ts'

export interface GridfsBlobs extends Blobs {
  /**
   * Removes contents that were replaced or deleted over an hour ago, uploads that failed, and uploads that nobody has
   * gone on with for a day: their process has died. Any number of processes may sweep at once. Rejects with the
   * signal's reason.
   */
  sweep(signal: AbortSignal): Promise<void>
  /** Idempotent. */
  close(): Promise<void>
}

/** One acknowledged write each. A range reads whole chunks: less than two more than it gives. */
const CHUNK_BYTES = 512 * 1024
/** Uploads say that they go on, well before they are swept. */
const RENEW_MS = 3_600_000

/**
 * Keeps `<bucket>.keys` and `<bucket>.chunks` in the URL's database. Connects when it is first used, and again whenever
 * it has to. Where the URL has no other timeouts, a call rejects as `unavailable` within 5 s while the server is away,
 * and within 20 s while it is paused; a stream that is being read likewise. A put whose connection is lost while it is
 * made visible rejects too where it can't find out what has become of it; it is there whole then or not at all. A stream
 * that takes over an hour after its contents were replaced may end in an error. No clock decides what is visible: one
 * that is wrong makes sweeps early, and uploads or reads fail.
 */
export function gridfsBlobs({ url, bucket = 'blobs', clock }: GridfsOptions): GridfsBlobs {
  const client = new MongoClient(url, timeoutsFor(url))
  // Said of the database, since a `journal=false` of the URL's goes before what is said of the client.
  const db = client.db(undefined, { writeConcern: { w: 'majority', journal: true }, readPreference: 'primary' })
  const records = new BlobRecords(db.collection<BlobRecord>(`${bucket}.keys`))
  const files = chunkFiles(db.collection<Chunk>(`${bucket}.chunks`))

  let opening: Promise<void> | undefined
  let closed = false
  /** The driver, left to connect by itself, never gets over a first try that fails: what it opened stays closed. */
  const open = async () => {
    if (closed) throw new Error('these blobs are closed')
    opening ??= connect().catch(error => {
      opening = undefined
      throw error
    })
    await asked(async () => opening)
  }
  const connect = async () => {
    await client.connect()
    await records.createIndexes()
    await files.createIndexes()
  }

  const uploads = new Uploads(records, files, clock)

  async function removeGarbage(now: number, signal: AbortSignal): Promise<void> {
    await records.abandonSilent(now, signal)
    for await (const { key, file } of records.garbage(now)) {
      signal.throwIfAborted()
      await files.remove(file)
      await records.forget(key, file)
    }
  }

  return {
    async put(key, content, options = {}) {
      checkBlobKey(key)
      options.signal?.throwIfAborted()
      using _ = hearErrors(content)
      await open()
      return await uploads.put(key, content, options)
    },

    async get(key, range) {
      checkBlobKey(key)
      if (range) checkBlobRange(range)
      await open()
      const current = await asked(() => records.current(key))
      if (current === null) return undefined
      const { start, end } = range ? cutBlobRange(range, current.size) : { start: 0, end: current.size - 1 }
      return Readable.from(eachAsked(files.read(current, start, end)), { objectMode: false })
    },

    async delete(key) {
      checkBlobKey(key)
      await open()
      await asked(() => records.remove(key, clock.now()))
    },

    async *list(prefix) {
      await open()
      for await (const { key, current } of eachAsked(records.list(prefix)))
        yield { key, writtenAt: current.written_at.getTime() }
    },

    async sweep(signal) {
      signal.throwIfAborted()
      await open()
      await asked(() => removeGarbage(clock.now(), signal))
    },

    async close() {
      closed = true
      await client.close()
    },
  }
}

/** Uploads of this process. */
class Uploads {
  readonly #records: BlobRecords
  readonly #files: ChunkFiles
  readonly #clock: Clock

  constructor(records: BlobRecords, files: ChunkFiles, clock: Clock) {
    this.#records = records
    this.#files = files
    this.#clock = clock
  }

  async put(key: string, content: Content, options: PutOptions): Promise<BlobInfo> {
    const file = new ObjectId()
    await asked(() => this.#records.begin(key, file, this.#clock.now()))
    const over = new AbortController()
    const kept = this.#keepFromSweep(key, file, over.signal)
    let info: BlobInfo | undefined
    try {
      info = await this.#write(file, content, options)
      const now = this.#clock.now()
      const next = { file, chunk_size: CHUNK_BYTES, ...info, written_at: new Date(now) }
      await asked(() => this.#records.commit(key, next, now))
      return info
    } catch (error) {
      const outcome = await this.#records.abandon(key, file, this.#clock.now()).catch(() => 'unknown' as const)
      if (outcome === 'committed' && info !== undefined) return info
      if (outcome === 'swept') await this.#files.remove(file).catch(() => undefined)
      throw error
    } finally {
      over.abort()
      await kept
    }
  }

  /** Writes the contents where nobody sees them. */
  async #write(file: ObjectId, content: Content, options: PutOptions): Promise<BlobInfo> {
    const length = content instanceof Readable ? CHUNK_BYTES : Math.min(CHUNK_BYTES, content.length)
    const hash = createHash('sha256')
    let size = 0
    let n = 0
    for await (const piece of pieces(parts(content, options), length)) {
      size += piece.length
      hash.update(piece)
      const data = new Binary(piece)
      await asked(() => this.#files.write(file, n++, data))
    }
    options.signal?.throwIfAborted()
    return { size, sha256: hash.digest('hex') }
  }

  async #keepFromSweep(key: string, file: ObjectId, over: AbortSignal): Promise<void> {
    const hourPassed = () =>
      this.#clock.sleep(RENEW_MS, over).then(
        () => true,
        () => false,
      )
    while (await hourPassed()) {
      // One that fails is made good by the next; only a day without any loses the upload.
      await this.#records.renew(key, file, this.#clock.now()).catch(() => undefined)
    }
  }
}

export interface GridfsOptions {
  /** `mongodb://…/<database>`. */
  readonly url: string
  /** What the names of its collections begin with: `blobs` by default. */
  readonly bucket?: string
  readonly clock: Clock
}

async function* eachAsked<T>(items: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  try {
    for (;;) {
      const next = await asked(() => items.next())
      if (next.done) return
      yield next.value
    }
  } finally {
    await items.return()
  }
}

/** Parts of any length, cut into pieces of one length. */

/** Pieces of `length` bytes, the last one shorter. A piece is only good until the next is asked for: they share memory. */
async function* pieces(parts: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array, void> {
  const piece = Buffer.allocUnsafeSlow(length)
  let filled = 0
  for await (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const taken = Math.min(length - filled, part.length - at)
      piece.set(part.subarray(at, at + taken), filled)
      at += taken
      filled += taken
      if (filled < length) continue
      yield piece
      filled = 0
    }
  }
  if (filled > 0) yield piece.subarray(0, filled)
}
