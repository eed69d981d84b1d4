/** A file that is a task's input: whether it can be, and which task needs it. docs/decisions/files.md, "In tasks". */
import type { Fault } from '@millhand/api'
import type { Lease } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { checkInputFile, INPUT_HEAD_BYTES, type ModelPackage } from '@millhand/model'
import type { Collection } from '@millhand/store'
import { leaseOf, leaseWithInput } from '@millhand/task'
import type { ComputeDeps } from './compute-deps.ts'
import type { StoredFile } from './files/file.ts'
import type { UsedBy } from './files/file-use.ts'
import type { Files } from './files/files.ts'
import type { TaskIndex, TaskRecord } from './task.ts'

/** Looks for a task that has not ended and whose input, or model, the file is. */
export const usedByTask =
  (tasks: Pick<Collection<TaskRecord, TaskIndex>, 'find'>): UsedBy =>
  async (tenant, file) => {
    const [task] = await tasks.find('input_file', { equals: [tenant, file], limit: 1 })
    return task ? { as: 'input', task: task.id } : await modelUsedBy(tasks)(tenant, file)
  }

/** Looks for a task that has not ended and that runs this own model, or file. */
export const modelUsedBy =
  (tasks: Pick<Collection<TaskRecord, TaskIndex>, 'find'>): UsedBy =>
  async (tenant, model) => {
    const [task] = await tasks.find('own_model', { equals: [tenant, model], limit: 1 })
    return task && { as: 'model', task: task.id }
  }

/** The file that a request names as input, or what stands against it; where the model is none, only whether it is there. */
export async function inputFile(
  files: Files,
  tenant: string,
  id: string,
  model: ModelPackage | undefined,
  isLines = false,
): Promise<{ readonly file?: StoredFile; readonly fault?: Fault }> {
  const param = 'input_file'
  const missing = { param, code: 'not_found', message: `There is no file \`${id}\`.` }
  const file = await files.get(tenant, id)
  if (file === undefined) return { fault: missing }
  if (file.purpose === 'model') {
    return { fault: { param, code: 'not_allowed', message: `The file \`${id}\` is a model, and no input.` } }
  }
  if (model === undefined) return { file }
  const head = await headOf(files, file)
  if (head === undefined) return { fault: missing }
  const message = isLines
    ? linesFault(head.toString(), head.length < file.bytes)
    : checkInputFile(model, file.bytes, head)
  return message === undefined ? { file } : { fault: { param, code: 'model_input_invalid', message } }
}

/** Undefined where the file was removed in between. */
async function headOf(files: Files, file: StoredFile): Promise<Buffer | undefined> {
  const content = await files.read(file, file.bytes > 0 ? { start: 0, end: INPUT_HEAD_BYTES - 1 } : undefined)
  return content && Buffer.concat(await content.toArray())
}

/** What an executor gets of a task: how large its input file is, else the input. */
export async function toLease({ inputs }: Pick<ComputeDeps, 'inputs'>, task: TaskRecord): Promise<Lease | undefined> {
  const { input_file_bytes: inputFileBytes } = task
  const lease =
    inputFileBytes === undefined ? await leaseWithInput(inputs, task) : { ...leaseOf(task, ''), inputFileBytes }
  if (lease && task.type === 'batch') {
    const { kept: count, failed } = task.lines ?? { kept: 0, failed: 0 }
    lease.lines = { $typeName: 'millhand.lease.v1.KeptLines', count, failed }
  }
  if (lease && task.checkpoint) {
    const file = { name: 'checkpoint', mediaType: 'application/octet-stream', bytes: task.checkpoint.bytes }
    lease.files = [{ $typeName: 'millhand.lease.v1.GivenFile', ...file }]
  }
  return lease
}

/** Why the text can't be JSON Lines; where it is only the beginning of it, as far as that tells. What is wrong with one line fails that line. */
export function linesFault(text: string, isBeginning = false): string | undefined {
  if (text.trim() !== '') return undefined
  return isBeginning ? 'the input begins with nothing but blank lines' : 'the input has no line'
}
