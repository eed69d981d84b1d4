import type { HandlerContext } from '@connectrpc/connect'
import type { File, GetFileRequest } from '@millhand/api/gen/millhand/compute/v1/file_pb.ts'
import { principal } from '@millhand/rpc'
import type { FileDeps } from '../file-deps.ts'
import { fileMessage, foundFile } from '../file-message.ts'

/** Gets a file, without its bytes. */
export const getFile =
  ({ files }: FileDeps) =>
  async ({ id }: GetFileRequest, call: HandlerContext): Promise<File> =>
    fileMessage(foundFile(id, await files.get(principal(call).tenant, id)))
