import type { HandlerContext } from '@connectrpc/connect'
import type { FileContent, GetFileContentRequest } from '@millhand/api/gen/millhand/compute/v1/file_pb.ts'
import { principal } from '@millhand/rpc'
import type { FileDeps } from '../file-deps.ts'
import { fileMessage, foundFile, noFile } from '../file-message.ts'
import { messageChunks } from '../message-chunks.ts'
import { byteRangeOf } from '../range.ts'

/** Gets the bytes of a file, no faster than they are read. What has begun goes on when the file is removed. */
export const getFileContent = ({ files }: FileDeps) =>
  async function* (req: GetFileContentRequest, call: HandlerContext): AsyncGenerator<FileContent, void> {
    const file = foundFile(req.id, await files.get(principal(call).tenant, req.id))
    const { start, length } = byteRangeOf(req, file.bytes)
    const range = length === file.bytes ? undefined : { start, end: start + length - 1 }
    const content = await files.read(file, range)
    if (content === undefined) throw noFile(req.id)
    try {
      yield message({
        case: 'slice',
        value: { $typeName: 'millhand.compute.v1.FileSlice', file: fileMessage(file), start, length },
      })
      for await (const value of messageChunks(content)) yield message({ case: 'data', value })
    } finally {
      content.destroy()
    }
  }

const message = (part: FileContent['part']): FileContent => ({ $typeName: 'millhand.compute.v1.FileContent', part })
