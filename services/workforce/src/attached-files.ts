/** Files of accounts, which compute keeps: asked for in the account's name. */
import type { Client } from '@connectrpc/connect'
import { codeOf, type Fault } from '@millhand/api'
import { FilePurpose } from '@millhand/api/gen/millhand/compute/v1/file_pb.ts'
import type { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import type { Principal } from '@millhand/rpc'
import { onBehalfOf } from './on-behalf-of.ts'
import type { AttachedFile } from './task.ts'

/** What the files of one brief may have together. docs/decisions/workforce-service.md, "A run". */
const MIB = 2 ** 20
const MOST_BYTES = 64 * MIB

/** The files that a request names, and what stands against them. */
export async function attachedFiles(
  files: Pick<Client<typeof FileService>, 'getFile'>,
  caller: Principal,
  ids: readonly string[],
): Promise<{ readonly files: readonly AttachedFile[]; readonly faults: readonly Fault[] }> {
  const found = await Promise.all(ids.map((id, at) => attachedFile(files, caller, id, at)))
  const given = found.flatMap(one => ('file' in one ? [one.file] : []))
  const faults = found.flatMap(one => ('fault' in one ? [one.fault] : []))
  const bytes = given.reduce((sum, file) => sum + file.bytes, 0)
  if (bytes > MOST_BYTES) {
    const message = `The \`files\` have ${Math.ceil(bytes / MIB)} MiB together; ${MOST_BYTES / MIB} MiB is the most.`
    faults.push({ param: 'files', code: 'too_large', message })
  }
  return { files: given, faults }
}

async function attachedFile(
  files: Pick<Client<typeof FileService>, 'getFile'>,
  caller: Principal,
  id: string,
  at: number,
): Promise<{ readonly file: AttachedFile } | { readonly fault: Fault }> {
  const param = `files[${at}]`
  try {
    const { filename, mediaType, bytes, purpose } = await files.getFile({ id }, onBehalfOf(caller))
    if (purpose === FilePurpose.MODEL)
      return { fault: { param, code: 'not_allowed', message: `The file \`${id}\` is a model, and no input.` } }
    return { file: { id, name: filename || id, media_type: mediaType, bytes } }
  } catch (error) {
    if (codeOf(error) !== 'not_found') throw error
    return { fault: { param, code: 'not_found', message: `There is no file \`${id}\`.` } }
  }
}
