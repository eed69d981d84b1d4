import type { HandlerContext } from '@connectrpc/connect'
import type { FileContent, GetFileContentRequest } from '@millhand/api/gen/millhand/compute/v1/file_pb.ts'
import { principal } from '@millhand/rpc'
import { fileMessage, foundFile, noFile } from '../file-message.ts'
import type { FileDeps } from '../file-service.ts'
import { sliceOf } from '../slice.ts'

/** Bytes of one message: half of what a reader of the tunnel lets its sender be ahead. */
const MESSAGE_BYTES = 64 * 1024

/** Gets the bytes of a file, no faster than they are read. What has begun goes on when the file is removed. */
export const getFileContent = ({ files }: FileDeps) =>
  async function* (req: GetFileContentRequest, call: HandlerContext): AsyncGenerator<FileContent, void> {
    const file = foundFile(req.id, await files.get(principal(call).tenant, req.id))
    const { start, length } = sliceOf(req, file.bytes)
    const range = length === file.bytes ? undefined : { start, end: start + length - 1 }
    const content = await files.read(file, range)
    if (content === undefined) throw noFile(req.id)
    try {
      yield message({
        case: 'slice',
        value: { $typeName: 'millhand.compute.v1.FileSlice', file: fileMessage(file), start, length },
      })
      for await (const chunk of content as AsyncIterable<Uint8Array>) {
        for (let at = 0; at < chunk.length; at += MESSAGE_BYTES) {
          yield message({ case: 'data', value: chunk.subarray(at, at + MESSAGE_BYTES) })
        }
      }
    } finally {
      content.destroy()
    }
  }

const message = (part: FileContent['part']): FileContent => ({ $typeName: 'millhand.compute.v1.FileContent', part })
