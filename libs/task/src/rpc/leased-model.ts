/** What a run is lent with where executors do not know its group. */
import type { LeasedModel } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import type { Failure } from '@millhand/lease'
import { type Log, traceIds } from '@millhand/telemetry'
import type { TaskBase } from '../task.ts'

interface Deps<T> {
  readonly modelOf?: (task: T) => Promise<LeasedModel | undefined>
  readonly log: Log
}

export async function leasedModelOf<T extends TaskBase>(
  { modelOf, log }: Deps<T>,
  task: T,
): Promise<LeasedModel | 'unreadable' | undefined> {
  try {
    return await modelOf?.(task)
  } catch (error) {
    log.error('model.unreadable', { task_id: task.id, ...traceIds(task.traceparent), error })
    return 'unreadable'
  }
}

export const modelUnreadable: Failure = {
  code: 'model_unreadable',
  message: 'The model could not be read.',
  retryable: true,
}
