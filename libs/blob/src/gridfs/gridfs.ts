/** Blobs in MongoDB, for many processes: chunks as GridFS keeps them, behind one record a key. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { fail } from '@millhand/api'
import type { Clock } from '@millhand/runner'
import { Binary, MongoClient, MongoNetworkError, MongoServerSelectionError, ObjectId } from 'mongodb'
import { type BlobInfo, type Blobs, checkBlobKey, checkBlobRange, cutBlobRange, type PutOptions } from '../blobs.ts'
import { type Content, hearErrors, parts } from '../content.ts'
import { type BlobRecord, blobRecords } from './blob-records.ts'
import { type Chunk, chunkFiles } from './chunk-files.ts'
import { pieces } from './pieces.ts'

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
 * it has to; a call that finds no server within the URL's `serverSelectionTimeoutMS` (5 s by default), or whose
 * connection breaks, rejects as `unavailable`. A put
 * whose connection is lost while it is made visible rejects too where it can't find out what has become of it; it is
 * there whole then or not at all. A stream that takes over an hour after its contents were replaced may end in an
 * error. No clock decides what is visible: one that is wrong makes sweeps early, and uploads or reads fail.
 */
export function gridfsBlobs({ url, bucket = 'blobs', clock }: GridfsOptions): GridfsBlobs {
  const patience = /[?&]serverSelectionTimeoutMS=/i.test(url) ? {} : { serverSelectionTimeoutMS: 5_000 }
  const client = new MongoClient(url, patience)
  // Said of the database, since a `journal=false` of the URL's goes before what is said of the client.
  const db = client.db(undefined, { writeConcern: { w: 'majority', journal: true }, readPreference: 'primary' })
  const records = blobRecords(db.collection<BlobRecord>(`${bucket}.keys`))
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
    await opening
  }
  const connect = async () => {
    await client.connect()
    await records.createIndexes()
    await files.createIndexes()
  }

  /** Writes the contents where nobody sees them. */
  async function upload(file: ObjectId, content: Content, options: PutOptions): Promise<BlobInfo> {
    const length = content instanceof Readable ? CHUNK_BYTES : Math.min(CHUNK_BYTES, content.length)
    const hash = createHash('sha256')
    let size = 0
    let n = 0
    for await (const piece of pieces(parts(content, options), length)) {
      size += piece.length
      hash.update(piece)
      await files.write(file, n++, new Binary(piece))
    }
    options.signal?.throwIfAborted()
    return { size, sha256: hash.digest('hex') }
  }

  async function keepFromSweep(key: string, file: ObjectId, over: AbortSignal): Promise<void> {
    const hourPassed = () =>
      clock.sleep(RENEW_MS, over).then(
        () => true,
        () => false,
      )
    while (await hourPassed()) {
      // One that fails is made good by the next; only a day without any loses the upload.
      await records.renew(key, file, clock.now()).catch(() => undefined)
    }
  }

  async function put(key: string, content: Content, options: PutOptions): Promise<BlobInfo> {
    const file = new ObjectId()
    await records.begin(key, file, clock.now())
    const over = new AbortController()
    const kept = keepFromSweep(key, file, over.signal)
    let info: BlobInfo | undefined
    try {
      info = await upload(file, content, options)
      const now = clock.now()
      await records.commit(key, { file, chunk_size: CHUNK_BYTES, ...info, written_at: new Date(now) }, now)
      return info
    } catch (error) {
      const outcome = await records.abandon(key, file, clock.now()).catch(() => 'unknown' as const)
      if (outcome === 'committed' && info !== undefined) return info
      if (outcome === 'swept') await files.remove(file).catch(() => undefined)
      throw error
    } finally {
      over.abort()
      await kept
    }
  }

  return {
    async put(key, content, options = {}) {
      checkBlobKey(key)
      options.signal?.throwIfAborted()
      using _ = hearErrors(content)
      return await asked(async () => {
        await open()
        return await put(key, content, options)
      })
    },

    async get(key, range) {
      checkBlobKey(key)
      if (range) checkBlobRange(range)
      const current = await asked(async () => {
        await open()
        return await records.current(key)
      })
      if (current === null) return undefined
      const { start, end } = range ? cutBlobRange(range, current.size) : { start: 0, end: current.size - 1 }
      return Readable.from(files.read(current, start, end), { objectMode: false })
    },

    async delete(key) {
      checkBlobKey(key)
      await asked(async () => {
        await open()
        await records.remove(key, clock.now())
      })
    },

    async *list(prefix) {
      await open()
      for await (const { key, current } of records.list(prefix)) yield { key, writtenAt: current.written_at.getTime() }
    },

    async sweep(signal) {
      signal.throwIfAborted()
      await open()
      const now = clock.now()
      await records.abandonSilent(now, signal)
      for await (const { key, file } of records.garbage(now)) {
        signal.throwIfAborted()
        await files.remove(file)
        await records.forget(key, file)
      }
    },

    async close() {
      closed = true
      await client.close()
    },
  }
}

export interface GridfsOptions {
  /** `mongodb://…/<database>`. */
  readonly url: string
  /** What the names of its collections begin with: `blobs` by default. */
  readonly bucket?: string
  readonly clock: Clock
}

/** That the server can't be reached is no fault of ours, and passes. */
async function asked<R>(work: () => Promise<R>): Promise<R> {
  try {
    return await work()
  } catch (cause) {
    if (!isAway(cause)) throw cause
    throw fail('unavailable', 'The store can not be reached at the moment.', { cause, retryAfterS: 1 })
  }
}

/** The driver passes on what Node says of a connection that breaks under a write. */
const isAway = (error: unknown): boolean =>
  error instanceof MongoNetworkError ||
  error instanceof MongoServerSelectionError ||
  ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes((error as NodeJS.ErrnoException | undefined)?.code ?? '')
