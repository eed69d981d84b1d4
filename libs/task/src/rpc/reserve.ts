import { fail } from '@millhand/api'
import type { RunRef } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import type { ReserveRequest, ReserveResponse } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { TaskBase } from '../task.ts'
import type { TaskDeps } from '../task-deps.ts'

/** Notes what a run may cost, durably, before it spends that. Fails with `conflict` where the run is not to go on. */
export const reserve =
  <T extends TaskBase>({ tasks }: Pick<TaskDeps<T>, 'tasks'>) =>
  async ({ run, modelCostMicros }: ReserveRequest): Promise<ReserveResponse> => {
    requireCount(modelCostMicros, 'model_cost_micros')
    const { tenant, workId, leaseId, attempt } = run as RunRef
    const held = { lease_id: leaseId, attempt }
    const result = await tasks.change(tenant, workId, { kind: 'reserved', held, cost_micros: modelCostMicros })
    if (result.kind !== 'changed') throw fail('conflict', 'The lease is not the live one, or the run is to stop.')
    return { $typeName: 'millhand.lease.v1.ReserveResponse' }
  }

/** Whether it is a whole number from 0 up. */
export const isCount = (count: number): boolean => Number.isSafeInteger(count) && count >= 0

/** Fails with `invalid_parameter` for what is no whole number from 0 up. */
export function requireCount(count: number, param: string): void {
  if (!isCount(count)) throw fail('invalid_parameter', `\`${param}\` must be a whole number from 0 up.`, { param })
}
