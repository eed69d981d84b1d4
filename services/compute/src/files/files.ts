/** How a file comes to be and how it goes. Each step is durable before the next. docs/decisions/files.md. */
import { Readable } from 'node:stream'
import { fail, type Ids } from '@millhand/api'
import { type BlobRange, type Blobs, BlobTooLarge } from '@millhand/blob'
import type { Clock } from '@millhand/process'
import type { Change, Collection } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import { blobOf, type ContentRecord, type Contents } from './contents.ts'
import { dueDocuments } from './due-documents.ts'
import { type FileIndex, type FileRecord, isThere, type Purpose, removedFile, type StoredFile } from './file.ts'
import { digestOf, RepeatedUpload } from './repeated-upload.ts'
import type { Arrival, Intent, Storage } from './storage-quota.ts'

/** Contract, section 4. */
const MOST_BYTES = 512 * 2 ** 20

/** What a new file is, beside its bytes. */
export interface Description {
  readonly purpose: Purpose
  readonly filename: string
  readonly media_type: string
  readonly expires_after_s: number | undefined
  readonly metadata: Readonly<Record<string, string>>
  readonly output_of?: string
}

/** One upload. */
export interface Upload {
  readonly tenant: string
  readonly description: Description
  readonly bytes: Bytes
  readonly signal: AbortSignal
  /** What it is part of: any number of uploads of one operation leave one file. */
  readonly operation?: string | undefined
}

/** The id of a task that has not ended and whose input the file is; undefined where there is none. */
export type UsedBy = (tenant: string, file: string) => Promise<string | undefined>

export interface FilesDeps {
  readonly collection: Collection<FileRecord, FileIndex>
  readonly contents: Contents
  readonly storage: Storage
  readonly blobs: Blobs
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly usedBy: UsedBy
}

type Bytes = AsyncIterable<Uint8Array>

export type Files = ReturnType<typeof createFiles>

export function createFiles(deps: FilesDeps) {
  const { collection, contents, storage, blobs, clock, ids, log, usedBy } = deps

  /** Stores the bytes at their place; says what they are. */
  async function receive(place: ContentRecord, bytes: Bytes, signal: AbortSignal) {
    const content = Readable.from(bytes, { objectMode: false })
    content.on('error', () => {}) // It is told to whoever reads; nobody may, once the upload has failed.
    try {
      return await blobs.put(blobOf(place.tenant, place.id), content, { maxBytes: MOST_BYTES, signal })
    } catch (error) {
      if (!(error instanceof BlobTooLarge)) throw error
      throw fail('payload_too_large', `A file has at most ${MOST_BYTES / 2 ** 20} MiB.`, { cause: error })
    } finally {
      content.destroy()
    }
  }

  /** Makes a file of bytes that are at their place and counted. Fails with `RepeatedUpload` where its operation has made one. */
  async function make(place: ContentRecord, intent: Intent, upload: Upload): Promise<StoredFile> {
    const { tenant } = place
    const { operation = intent.file, description } = upload
    const { purpose, filename, media_type, expires_after_s, metadata, output_of } = description
    const file: StoredFile = {
      tenant,
      id: intent.file,
      version: 1,
      operation,
      ...(expires_after_s === undefined
        ? { fate: 'stays' }
        : { fate: 'expires', due_at: intent.at + expires_after_s * 1000 }),
      purpose,
      filename,
      media_type,
      bytes: intent.bytes,
      sha256: intent.sha256,
      content: await contents.keep(place, intent.sha256, intent.file),
      metadata,
      created_at: intent.at,
      output_of,
    }
    const result = await collection.write({ kind: 'insert', document: file, events: [] })
    if (result.kind === 'written') return file
    if (result.index === 'operation') throw new RepeatedUpload(operation, intent.sha256)
    throw fail('unavailable', 'The upload took too long. Send it again.') // It was swept.
  }

  /** What an operation has made; undefined where it has made nothing yet. */
  async function madeBy(tenant: string, operation: string): Promise<FileRecord | undefined> {
    const [made] = await collection.find('operation', { equals: [tenant, operation], limit: 1 })
    return made
  }

  /** What an operation has made, for who has sent bytes of this SHA-256 for it again. */
  function again(made: FileRecord | undefined, sha256: string): StoredFile {
    if (!isThere(made, clock.now())) throw fail('not_found', 'The file was made, and has been removed since.')
    if (made.sha256 === sha256) return made
    throw fail('idempotency_mismatch', `The file \`${made.id}\` was made of other bytes, with the same key.`)
  }

  /**
   * Whether the intent has left no file: then its bytes are its own to give back. Whoever was at it may only stand still,
   * so the document is changed where that could still make or remove the file: its write meets a conflict then.
   */
  async function isGone(tenant: string, { id, kind, file }: Intent): Promise<boolean> {
    for (;;) {
      const now = await collection.get(tenant, file)
      if (now?.fate === 'removed') return now.removed_by === id
      if ((now === undefined) !== (kind === 'upload')) return false
      const change: Change<FileRecord> =
        now === undefined
          ? {
              kind: 'insert',
              document: removedFile({ tenant, id: file, operation: file }, id, clock.now()),
              events: [],
            }
          : { kind: 'replace', version: now.version, document: now, events: [] }
      if ((await collection.write(change)).kind === 'written') return now === undefined
    }
  }

  /** Brings an intent to its end, however far it came. Idempotent. */
  async function settle(tenant: string, intent: Intent): Promise<void> {
    const gone = await isGone(tenant, intent)
    if (gone) await contents.release(tenant, intent.sha256, intent.file)
    await storage.settle(tenant, intent, gone)
  }

  /** What has to be tidied up after a failure, and is left to the sweeper where it can't be. */
  async function tidy(work: Promise<void>): Promise<void> {
    await work.catch(error => log.warn('files.left_to_sweeper', { error }))
  }

  const newIntent = (kind: Intent['kind'], { id, sha256, bytes }: Pick<StoredFile, 'id' | 'sha256' | 'bytes'>) => ({
    id: crypto.randomUUID(),
    kind,
    file: id,
    sha256,
    bytes,
    at: clock.now(),
  })

  /** Stores the bytes of an upload and makes a file of them; leaves nothing where it fails. */
  async function take(upload: Upload, arrival: Arrival) {
    const { tenant, bytes, signal } = upload
    const place = await contents.begin(tenant)
    let intent: Intent | undefined
    try {
      const { size, sha256 } = await receive(place, counted(bytes, arrival), signal)
      signal.throwIfAborted()
      intent = await arrival.take(() => newIntent('upload', { id: ids('file'), sha256, bytes: size }))
      const file = await make(place, intent, upload)
      await tidy(storage.settle(tenant, intent, false))
      return file
    } catch (error) {
      if (intent !== undefined) await tidy(settle(tenant, intent))
      await tidy(contents.discard(place))
      throw error
    }
  }

  async function remove(tenant: string, id: string): Promise<boolean> {
    for (;;) {
      const file = await collection.get(tenant, id)
      if (file === undefined || file.fate === 'removed') return file !== undefined
      const intent = newIntent('removal', file)
      await storage.announce(tenant, intent)
      const document = removedFile(file, intent.id, clock.now())
      await collection.write({ kind: 'replace', version: file.version, document, events: [] })
      await settle(tenant, intent) // Of removals at once one has written, and gives back the bytes.
    }
  }

  /** Removes an expired file that no task waits for, or what was left of a removed one. */
  async function expire({ tenant, id, fate, version }: FileRecord): Promise<void> {
    if (fate === 'removed') await collection.write({ kind: 'remove', version, tenant, id, events: [] })
    else if ((await usedBy(tenant, id)) === undefined) await remove(tenant, id)
  }

  /** One that can't be swept, such as a blob on a broken disk, must not keep the sweeper from all others. */
  async function attempt(tenant: string, id: string, work: Promise<unknown>): Promise<void> {
    await work.catch(error => log.error('files.not_swept', { tenant, id, error }))
  }

  return {
    /**
     * Makes a file of the bytes; durable once this resolves. Where it rejects, with the stream's own error or the
     * signal's reason too, nothing is left. Where the operation has made a file of the same bytes, it is that one. Fails
     * with `payload_too_large`, `storage_quota_exceeded`, and `idempotency_mismatch` where it has made one of others.
     */
    async upload(upload: Upload): Promise<StoredFile> {
      const { tenant, operation, bytes } = upload
      const made = operation === undefined ? undefined : await madeBy(tenant, operation)
      if (made !== undefined) return again(made, await digestOf(bytes))
      const arrival = await storage.begin(tenant)
      try {
        return await take(upload, arrival)
      } catch (error) {
        // Another upload of it was faster; of this one nothing is left.
        if (error instanceof RepeatedUpload) return again(await madeBy(tenant, error.operation), error.sha256)
        throw error
      } finally {
        arrival.end()
      }
    },

    /** The file, where it is there for callers. */
    async get(tenant: string, id: string): Promise<StoredFile | undefined> {
      const file = await collection.get(tenant, id)
      return isThere(file, clock.now()) ? file : undefined
    },

    /** Its bytes or a range of them; none where it was removed in between. What has begun goes on to its end. */
    read: (file: StoredFile, range?: BlobRange): Promise<Readable | undefined> =>
      blobs.get(blobOf(file.tenant, file.content), range),

    /** The same, also where it has expired and is kept for a task that uses it. */
    async getUsed(tenant: string, id: string): Promise<StoredFile | undefined> {
      const file = await collection.get(tenant, id)
      return file?.fate === 'removed' ? undefined : file
    },

    /**
     * Removes a file and what only it holds; false where there was none, also not in the last day. Idempotent. Fails with
     * `invalid_state` while a task uses it.
     */
    async remove(tenant: string, id: string): Promise<boolean> {
      const task = await usedBy(tenant, id)
      if (task === undefined) return await remove(tenant, id)
      const detail = `The file \`${id}\` is the input of the task \`${task}\`, which has not ended. Cancel that, or wait for it.`
      throw fail('invalid_state', detail, { metadata: { task } })
    },

    /** What a run has stored as its output. */
    async outputOf(tenant: string, run: string): Promise<StoredFile | undefined> {
      const [latest] = await collection.find('output', { equals: [tenant, run], order: 'desc', limit: 1 })
      return isThere(latest, clock.now()) ? latest : undefined
    },

    /** Lets what a run has made expire at `until` (ms since 1970); false where the file is not there, or not that run's. */
    async keepOutput(tenant: string, id: string, run: string, until: number): Promise<boolean> {
      for (;;) {
        const file = await collection.get(tenant, id)
        if (!isThere(file, clock.now()) || !isOf(run, file)) return false
        const document = { ...file, due_at: until }
        const { kind } = await collection.write({ kind: 'replace', version: file.version, document, events: [] })
        if (kind === 'written') return true
      }
    },

    /** Removes what has expired, and what uploads and removals that died have left. What fails waits for the next time. */
    async sweep(signal: AbortSignal): Promise<void> {
      for await (const { tenant, intent } of storage.abandoned(signal)) {
        await attempt(tenant, intent.file, settle(tenant, intent))
      }
      for await (const file of dueDocuments(collection, clock.now(), signal))
        await attempt(file.tenant, file.id, expire(file))
      for await (const content of contents.leftOver(signal)) {
        await attempt(content.tenant, content.id, contents.retire(content))
      }
    },
  }
}

/** Its output, or a file beside that, by its name. */
const isOf = (run: string, { output_of = '' }: StoredFile) => output_of === run || output_of.startsWith(`${run}/`)

async function* counted(bytes: Bytes, arrival: Arrival): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of bytes) {
    await arrival.add(chunk.length)
    yield chunk
  }
}
