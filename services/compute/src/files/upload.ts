/** How a file comes to be. Each step is durable before the next. docs/decisions/files.md. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { fail, type Ids } from '@millhand/api'
import { type Blobs, BlobTooLarge } from '@millhand/blob'
import type { Log } from '@millhand/telemetry'
import { blobOf, type ContentRecord } from './contents.ts'
import { type FileRecord, isThere, type Purpose, type StoredFile } from './file.ts'
import { type SettleDeps, settleIntent } from './settle-intent.ts'
import type { Arrival } from './storage-quota.ts'
import { type Intent, newIntent } from './storage-states.ts'

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
interface Upload {
  readonly tenant: string
  readonly description: Description
  readonly bytes: Bytes
  readonly signal: AbortSignal
  /** What it is part of: any number of uploads of one operation leave one file. */
  readonly operation?: string | undefined
}

type Bytes = AsyncIterable<Uint8Array>

export interface UploadDeps extends SettleDeps {
  readonly blobs: Blobs
  readonly ids: Ids
  readonly log: Log
}

export function createUpload(deps: UploadDeps) {
  const { collection, contents, storage, clock, ids, log } = deps

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

  /** What has to be tidied up after a failure, and is left to the sweeper where it can't be. */
  async function tidy(work: Promise<void>): Promise<void> {
    await work.catch(error => log.warn('files.left_to_sweeper', { error }))
  }

  /** Stores the bytes of an upload and makes a file of them; leaves nothing where it fails. */
  async function take(upload: Upload, arrival: Arrival) {
    const { tenant, bytes, signal } = upload
    const place = await contents.begin(tenant)
    let intent: Intent | undefined
    try {
      const { size, sha256 } = await receive(deps.blobs, place, counted(bytes, arrival), signal)
      signal.throwIfAborted()
      intent = await arrival.take(() => newIntent('upload', { id: ids('file'), sha256, bytes: size }, clock.now()))
      const file = await make(deps, place, intent, upload)
      await tidy(storage.settle(tenant, intent, false))
      return file
    } catch (error) {
      if (intent !== undefined) await tidy(settleIntent(deps, tenant, intent))
      await tidy(contents.discard(place))
      throw error
    }
  }

  /**
   * Makes a file of the bytes; durable once this resolves. Where it rejects, with the stream's own error or the
   * signal's reason too, nothing is left. Where the operation has made a file of the same bytes, it is that one. Fails
   * with `payload_too_large`, `storage_quota_exceeded`, and `idempotency_mismatch` where it has made one of others.
   */
  return async (upload: Upload): Promise<StoredFile> => {
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
  }
}

/** Stores the bytes at their place; says what they are. */
async function receive(blobs: Blobs, place: ContentRecord, bytes: Bytes, signal: AbortSignal) {
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

async function* counted(bytes: Bytes, arrival: Arrival): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of bytes) {
    await arrival.add(chunk.length)
    yield chunk
  }
}

/** Makes a file of bytes that are at their place and counted. Fails with `RepeatedUpload` where its operation has made one. */
async function make(
  { collection, contents }: UploadDeps,
  place: ContentRecord,
  intent: Intent,
  { description, operation = intent.file }: Upload,
): Promise<StoredFile> {
  const { tenant } = place
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

/** The operation of an upload has made a file already. */
class RepeatedUpload extends Error {
  readonly operation: string
  /** Of the bytes that came now. */
  readonly sha256: string

  constructor(operation: string, sha256: string) {
    super(`${operation} has made a file`)
    this.operation = operation
    this.sha256 = sha256
  }
}

/** SHA-256 in hexadecimal of bytes that are not stored. */
async function digestOf(bytes: Bytes): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of bytes) digest.update(chunk)
  return digest.digest('hex')
}
