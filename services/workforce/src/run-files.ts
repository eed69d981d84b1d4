/** Files that runs are given and make: read and stored in the name of their account, for who holds the lease. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import type { StoreTaskFileRequest } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import type {
  ReadInputRequest,
  ReadInputResponse,
  Result,
  RunRef,
  StoreOutputRequest,
  StoreOutputResponse,
} from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Collection } from '@millhand/store'
import { heldTask, type OutputFiles, outputFiles, type UnsettledFiles } from '@millhand/task'
import { as, inTheNameOf } from './in-name-of.ts'
import { ownerOf } from './owner.ts'
import { removeFile } from './remove-file.ts'
import type { TaskRecord } from './task.ts'
import type { WorkforceDeps } from './workforce-deps.ts'

/** Reads one of the files that belong to a run's brief, no faster than the executor takes it. Any replica answers. */
export const readInput = ({ tasks, files }: WorkforceDeps) =>
  async function* (
    { run, file: at = 0 }: ReadInputRequest,
    call: HandlerContext,
  ): AsyncGenerator<ReadInputResponse, void> {
    const task = await heldTask(tasks, run as RunRef)
    const file = task.files[at]
    if (file === undefined) throw fail('not_found', 'The brief has no such file.')
    const content = files.getFileContent({ id: file.id }, { ...inTheNameOf(ownerOf(task)), signal: call.signal })
    for await (const { part } of content) {
      if (part.case === 'data') yield { $typeName: 'millhand.lease.v1.ReadInputResponse', data: part.value }
    }
  }

/** Stores what a run has made, which its result then names. Any replica answers. */
export const storeOutput =
  ({ tasks, taskFiles }: WorkforceDeps) =>
  async (requests: AsyncIterable<StoreOutputRequest>, call: HandlerContext): Promise<StoreOutputResponse> => {
    const parts = requests[Symbol.asyncIterator]()
    try {
      const { value: first } = await parts.next()
      if (first?.part.case !== 'run')
        throw fail('missing_parameter', 'The first message must be the `run`.', { param: 'run' })
      const { artifact, part } = first
      const task = await heldTask(tasks, part.value)
      const ofOutput = `${task.id}.json`
      // A run's file is known by its name.
      if (artifact?.name === ofOutput)
        throw fail('invalid_parameter', 'No artifact has the name of the output.', { param: 'artifact.name' })
      const file = {
        $typeName: 'millhand.compute.v1.TaskFile',
        run: runOf(part.value),
        filename: artifact?.name ?? ofOutput,
        mediaType: artifact?.mediaType ?? 'application/json',
      } as const
      const options = { ...inTheNameOf(ownerOf(task)), signal: call.signal }
      const { id } = await taskFiles.storeTaskFile(sent(file, parts), options)
      return { $typeName: 'millhand.lease.v1.StoreOutputResponse', fileId: id }
    } finally {
      parts.return?.().catch(() => {}) // It may wait for an executor that sends nothing more.
    }
  }

async function* sent(
  value: Extract<StoreTaskFileRequest['part'], { case: 'file' }>['value'],
  parts: AsyncIterator<StoreOutputRequest>,
) {
  yield { part: { case: 'file' as const, value } }
  for (let next = await parts.next(); !next.done; next = await parts.next()) {
    const { part } = next.value
    if (part.case !== 'data')
      throw fail('invalid_parameter', 'After the `run` comes nothing but `data`.', { param: 'run' })
    yield { part: { case: 'data' as const, value: part.value } }
  }
}

const runOf = ({ workId, attempt }: Pick<Result, 'workId' | 'attempt'>) => `${workId}/${attempt}`

type Keeping = Pick<WorkforceDeps, 'tasks' | 'files' | 'taskFiles' | 'clock' | 'log' | 'retentionMs'>

/** What becomes of the files of a result, which compute has. */
export const filesOfResults = (deps: Keeping, unsettled: Collection<UnsettledFiles>): OutputFiles =>
  outputFiles<TaskRecord>({
    ...deps,
    unsettled,
    async keep(result, id, until) {
      const asked = { id, run: runOf(result), until: timestampFromMs(until) }
      return (await deps.taskFiles.keepTaskFile(asked, as(ownerOf(result)))).kept
    },
    remove: (tenant, id) => removeFile(deps.files, { tenant }, id),
    namedBy: filesNamedBy,
  })

const filesNamedBy = ({ artifacts = [], output_file }: TaskRecord): readonly string[] =>
  output_file === undefined ? artifacts : [...artifacts, output_file]

/** Removes what a task's output is, or names, outside of its record. Fails where that can't be done now. */
export async function removeOutput({ files }: Pick<Keeping, 'files'>, task: TaskRecord): Promise<void> {
  await Promise.all(filesNamedBy(task).map(id => removeFile(files, task, id)))
}
