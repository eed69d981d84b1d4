/** A FileService in memory, to see what the gateway makes of uploads and downloads. */
import { createHash } from 'node:crypto'
import { create } from '@bufbuild/protobuf'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import {
  type File,
  type FileDescription,
  FilePurpose,
  FileSchema,
  type GetFileContentRequest,
  type UploadFileRequest,
} from '@millhand/api/gen/millhand/compute/v1/file_pb.ts'
import type { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'

interface Stored {
  readonly file: File
  readonly bytes: Buffer
}

export class FakeFiles {
  readonly stored = new Map<string, Stored>()
  /** Uploads that have begun, and those whose bytes never came to their end. */
  begun = 0
  broken = 0
  /** Bytes that uploads have brought, and that downloads were asked for. */
  received = 0
  sent = 0
  /** How many bytes a download gives at once. */
  pieceBytes = 65_536
  /** What every upload fails with after its description, where it is set. */
  failure: unknown
  /** Waited for before each piece of an upload, and after the first of a download. */
  gate: Promise<void> | undefined
  /** Thrown by downloads after that many bytes. */
  breakAfter: number | undefined
  downloads: { start?: number; end?: number; suffix?: number }[] = []
  /** Downloads whose call has ended, in whatever way. */
  closed = 0

  readonly implementation: Partial<ServiceImpl<typeof FileService>> = {
    uploadFile: requests => this.#upload(requests),
    getFile: ({ id }) => this.#found(id).file,
    getFileContent: (request, call) => this.#content(request, call),
    listFiles: () => ({ data: [...this.stored.values()].map(({ file }) => file), hasMore: false }),
    deleteFile: ({ id }) => ({ id, deleted: this.stored.delete(id) }),
  }

  put(bytes: Buffer | string, more: Partial<FileDescription> = {}): File {
    const content = Buffer.from(bytes)
    const file = create(FileSchema, {
      id: `file_${String(this.stored.size + 1).padStart(26, '0')}`,
      purpose: more.purpose ?? FilePurpose.INPUT,
      filename: more.filename ?? '',
      mediaType: more.mediaType ?? 'application/octet-stream',
      bytes: content.length,
      sha256: createHash('sha256').update(content).digest('hex'),
      metadata: more.metadata ?? {},
    })
    this.stored.set(file.id, { file, bytes: content })
    return file
  }

  async #upload(requests: AsyncIterable<UploadFileRequest>): Promise<File> {
    this.begun++
    let description: FileDescription | undefined
    const chunks: Buffer[] = []
    try {
      for await (const { part } of requests) {
        await this.gate
        if (this.failure !== undefined) throw this.failure
        if (part.case === 'description') description = part.value
        else if (part.case === 'data') {
          this.received += part.value.length
          chunks.push(Buffer.from(part.value))
        }
      }
    } catch (error) {
      this.broken++
      throw error
    }
    return this.put(Buffer.concat(chunks), description)
  }

  async *#content({ id, start, end, suffix }: GetFileContentRequest, { signal }: HandlerContext) {
    signal.addEventListener('abort', () => this.closed++)
    const asked = { ...(start !== undefined && { start }), ...(end !== undefined && { end }) }
    this.downloads.push({ ...asked, ...(suffix !== undefined && { suffix }) })
    const { file, bytes } = this.#found(id)
    const from = suffix === undefined ? (start ?? 0) : Math.max(0, bytes.length - suffix)
    const isBehind = suffix === undefined ? start !== undefined && from >= bytes.length : suffix === 0
    if (isBehind) throw fail('range_not_satisfiable', 'It begins behind the end.')
    const slice = bytes.subarray(from, Math.min((end ?? bytes.length) + 1, bytes.length))
    yield { part: { case: 'slice' as const, value: { file, start: from, length: slice.length } } }
    for (let at = 0; at < slice.length; at += this.pieceBytes) {
      if (at > 0) await this.gate
      if (this.breakAfter !== undefined && at >= this.breakAfter) throw new Error('the disk is broken')
      const value = slice.subarray(at, at + this.pieceBytes)
      this.sent += value.length
      yield { part: { case: 'data' as const, value } }
    }
  }

  #found(id: string): Stored {
    const found = this.stored.get(id)
    if (found === undefined) throw fail('not_found', `There is no file ${id}.`)
    return found
  }
}
