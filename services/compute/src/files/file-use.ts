/** What needs a file, or a model, so that it is not removed. */
import { fail } from '@millhand/api'

/** The id of a task, as whose input or model, or of a batch. Neither has ended. */
export type FileUse = { readonly as: 'input' | 'model'; readonly task: string } | { readonly batch: string }

/** Undefined where nothing needs it. */
export type UsedBy = (tenant: string, id: string) => Promise<FileUse | undefined>

/** The error of a removal that has to wait. */
export function inUse(id: string, use: FileUse) {
  const what = id.startsWith('file_') ? 'file' : 'model'
  const needs = 'batch' in use ? `needed by the batch \`${use.batch}\`` : `the ${use.as} of the task \`${use.task}\``
  const detail = `The ${what} \`${id}\` is ${needs}, which has not ended. Cancel that, or wait for it.`
  return fail('invalid_state', detail, { metadata: 'batch' in use ? { batch: use.batch } : { task: use.task } })
}
