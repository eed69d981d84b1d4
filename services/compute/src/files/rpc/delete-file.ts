import type { HandlerContext } from '@connectrpc/connect'
import type { DeleteFileRequest, FileDeletion } from '@millhand/api/gen/millhand/compute/v1/file_pb.ts'
import { principal } from '@millhand/rpc'
import type { FileDeps } from '../file-deps.ts'
import { noFile } from '../file-message.ts'

/** Removes a file. Answers the same when it is asked again within a day. */
export const deleteFile =
  ({ files }: FileDeps) =>
  async ({ id }: DeleteFileRequest, call: HandlerContext): Promise<FileDeletion> => {
    if (!(await files.remove(principal(call).tenant, id))) throw noFile(id)
    return { $typeName: 'millhand.compute.v1.FileDeletion', id, deleted: true }
  }
