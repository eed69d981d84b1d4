/** The files that a run reads and makes: for the executor that holds the lease. Any replica answers. */

import type { HandlerContext } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import type { Result, RunRef } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import type {
  ReadInputRequest,
  ReadInputResponse,
  ReadModelRequest,
  ReadModelResponse,
  StoreOutputRequest,
  StoreOutputResponse,
} from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Failure } from '@millhand/lease'
import type { TaskBase } from '../task.ts'
import { hasEnded } from '../task.ts'
import type { TaskDeps } from '../task-deps.ts'

type RunDescription = Extract<StoreOutputRequest['part'], { case: 'run' }>['value']

/** A file that a run sends. */
interface RunFile {
  readonly run: RunDescription
  /** Its name and type, where it is not the output itself. */
  readonly artifact: StoreOutputRequest['artifact']
  readonly data: AsyncGenerator<Uint8Array, void>
}

/** Where the files of a kind's runs lie. */
export interface RunFiles<T extends TaskBase> {
  /**
   * The content of one of the files that come beside the task's input, by its index; of the input itself where there is
   * none. Fails with `not_found`.
   */
  read(task: T, index: number | undefined, call: HandlerContext): AsyncIterable<Uint8Array>
  /** The content of the model that the task runs, where it is an account's own. Fails with `not_found`. */
  readModel?(task: T): AsyncIterable<Uint8Array>
  /** Stores a file, durably, and resolves with its id. */
  store(task: T, file: RunFile, call: HandlerContext): Promise<string>
  /**
   * Lets a file of this very run expire at `until` (milliseconds since 1970), or makes of it what the result says; false
   * where it is gone, or what keeps it from that for good.
   */
  keep(run: MadeBy, file: string, until: number): Promise<boolean | Failure>
  /** Removes a file, if it is there. Rejects where that can't be done now. */
  remove(tenant: string, file: string): Promise<unknown>
  /** Undoes `keep` for a file that no task names; `remove` where it is left out. Rejects as that does. */
  discard?(tenant: string, file: string): Promise<unknown>
  /** The files that a task names. */
  namedBy(task: T): readonly string[]
}

/** The run that made a file, and what it says came of it. */
type MadeBy = Pick<Result, 'tenant' | 'workId' | 'attempt'> & Partial<Pick<Result, 'outcome'>>

type Deps<T extends TaskBase> = Pick<TaskDeps<T>, 'tasks'>

/** Reads one of the input files of a run, no faster than the executor takes it. */
export const readInput = <T extends TaskBase>({ tasks }: Deps<T>, { read }: Pick<RunFiles<T>, 'read'>) =>
  async function* ({ run, file }: ReadInputRequest, call: HandlerContext): AsyncGenerator<ReadInputResponse, void> {
    const content = read(await requireLeasedTask(tasks, run as RunRef), file, call)
    for await (const data of content) yield { $typeName: 'millhand.lease.v1.ReadInputResponse', data }
  }

/** Reads the model of a run, no faster than the executor takes it. */
export const readModel = <T extends TaskBase>({ tasks }: Deps<T>, { readModel }: Pick<RunFiles<T>, 'readModel'>) =>
  async function* ({ run }: ReadModelRequest): AsyncGenerator<ReadModelResponse, void> {
    const task = await requireLeasedTask(tasks, run as RunRef)
    if (!readModel) throw fail('not_found', 'These runs have no models.')
    for await (const data of readModel(task)) yield { $typeName: 'millhand.lease.v1.ReadModelResponse', data }
  }

/** Stores a file that a run has made, which its result then names. */
export const storeOutput =
  <T extends TaskBase>({ tasks }: Deps<T>, { store }: Pick<RunFiles<T>, 'store'>) =>
  async (requests: AsyncIterable<StoreOutputRequest>, call: HandlerContext): Promise<StoreOutputResponse> => {
    const parts = requests[Symbol.asyncIterator]()
    try {
      const { value: first } = await parts.next()
      if (first?.part.case !== 'run')
        throw fail('missing_parameter', 'The first message must be the `run`.', { param: 'run' })
      const { artifact, part } = first
      const task = await requireLeasedTask(tasks, part.value)
      const fileId = await store(task, { run: part.value, artifact, data: dataOf(parts) }, call)
      return { $typeName: 'millhand.lease.v1.StoreOutputResponse', fileId }
    } finally {
      parts.return?.().catch(() => {}) // It may wait for an executor that sends nothing more.
    }
  }

/** The bytes that follow the first message. */
export async function* dataOf(
  parts: AsyncIterator<{ readonly part: { case?: string | undefined; value?: unknown } }>,
): AsyncGenerator<Uint8Array, void> {
  for (let next = await parts.next(); !next.done; next = await parts.next()) {
    const { part } = next.value
    if (part.case !== 'data')
      throw fail('invalid_parameter', 'After the first message comes nothing but `data`.', { param: 'data' })
    yield part.value as Uint8Array
  }
}

/** The task that a run is of, as it is in the store. Fails with `conflict` where the run's lease is not the live one. */
export async function requireLeasedTask<T extends TaskBase>(
  tasks: { get(tenant: string, id: string): Promise<T | undefined> },
  { tenant, workId, leaseId, attempt }: RunRef,
): Promise<T> {
  const task = await tasks.get(tenant, workId)
  if (task && !hasEnded(task) && task.lease_id === leaseId && task.attempt === attempt) return task
  throw fail('conflict', 'The lease is not the live one.')
}
