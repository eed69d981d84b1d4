/** A stored file as the contract shows it. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { enumWords, fail, modeOfWord } from '@millhand/api'
import { type File, FilePurpose, FilePurposeSchema } from '@millhand/api/gen/millhand/compute/v1/file_pb.ts'
import { modeOf } from '@millhand/task'
import type { Purpose, StoredFile } from './file.ts'

const purposes = {
  input: FilePurpose.INPUT,
  model: FilePurpose.MODEL,
  dataset: FilePurpose.DATASET,
  output: FilePurpose.OUTPUT,
} as const satisfies Record<Purpose, FilePurpose>

const words = enumWords(FilePurposeSchema)

export const purposeOf = (purpose: FilePurpose): Purpose => words.get(purpose) as Purpose

export function fileMessage(file: StoredFile): File {
  return {
    $typeName: 'millhand.compute.v1.File',
    id: file.id,
    purpose: purposes[file.purpose],
    filename: file.filename,
    mediaType: file.media_type,
    bytes: file.bytes,
    sha256: file.sha256,
    mode: modeOfWord(modeOf(file.tenant)),
    metadata: file.metadata as Record<string, string>,
    createdAt: timestampFromMs(file.created_at),
    ...(file.due_at !== undefined && { expiresAt: timestampFromMs(file.due_at) }),
  }
}

/** The file that a look-up under the caller's own tenant found; another account's is unknown there. */
export function foundFile(id: string, file: StoredFile | undefined): StoredFile {
  if (!file) throw noFile(id)
  return file
}

export const noFile = (id: string) => fail('not_found', `There is no file \`${id.slice(0, 64)}\`.`)
