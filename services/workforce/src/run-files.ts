/** Files that a task's runs read and make, which compute keeps: read and stored in the name of their account. */

import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { codeOf, fail } from '@millhand/api'
import type { StoreTaskFileRequest } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import type { Result } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import type { RunFiles } from '@millhand/task'
import { onBehalfOf, streamOnBehalfOf } from './on-behalf-of.ts'
import type { TaskRecord } from './task.ts'
import { tenantPrincipal } from './tenant-principal.ts'
import type { WorkforceDeps } from './workforce-deps.ts'

export const runFiles = ({ files, taskFiles }: Pick<WorkforceDeps, 'files' | 'taskFiles'>): RunFiles<TaskRecord> => ({
  async *read(task, index, { signal }) {
    const file = index === undefined ? undefined : task.files[index]
    if (file === undefined) throw fail('not_found', 'The brief has no such file.')
    const content = files.getFileContent({ id: file.id }, { ...streamOnBehalfOf(tenantPrincipal(task)), signal })
    for await (const { part } of content) if (part.case === 'data') yield part.value
  },

  async store(task, { run, artifact, data }, { signal }) {
    const ofOutput = `${task.id}.json`
    // A run's file is known by its name.
    if (artifact?.name === ofOutput)
      throw fail('invalid_parameter', 'No artifact has the name of the output.', { param: 'artifact.name' })
    const file = {
      $typeName: 'millhand.compute.v1.TaskFile',
      run: runOf(run),
      filename: artifact?.name ?? ofOutput,
      mediaType: artifact?.mediaType ?? 'application/json',
    } as const
    const options = { ...streamOnBehalfOf(tenantPrincipal(task)), signal }
    return (await taskFiles.storeTaskFile(sent(file, data), options)).id
  },

  async keep(result, id, until) {
    const request = { id, run: runOf(result), until: timestampFromMs(until) }
    return (await taskFiles.keepTaskFile(request, onBehalfOf(tenantPrincipal(result)))).kept
  },
  remove: (tenant, id) => removeFile(files, { tenant }, id),
  namedBy: ({ artifacts = [], output_file }) => (output_file === undefined ? artifacts : [...artifacts, output_file]),
})

async function* sent(
  value: Extract<StoreTaskFileRequest['part'], { case: 'file' }>['value'],
  data: AsyncIterable<Uint8Array>,
) {
  yield { part: { case: 'file' as const, value } }
  for await (const bytes of data) yield { part: { case: 'data' as const, value: bytes } }
}

const runOf = ({ workId, attempt }: Pick<Result, 'workId' | 'attempt'>) => `${workId}/${attempt}`

/** Removes a file of an account, if it is there. Fails where that can't be done now. */
async function removeFile(
  files: Pick<WorkforceDeps['files'], 'deleteFile'>,
  whose: { readonly tenant: string },
  id: string,
): Promise<void> {
  try {
    await files.deleteFile({ id }, onBehalfOf(tenantPrincipal(whose)))
  } catch (error) {
    if (codeOf(error) !== 'not_found') throw error
  }
}
