import type { HandlerContext } from '@connectrpc/connect'
import type { UsageLine } from '@millhand/api/gen/millhand/billing/v1/usage_pb.ts'
import type { DailyQuota } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import type {
  GetWorkforceUsageRequest,
  WorkforceQuota,
  WorkforceUsage,
  WorkforceUsageLine,
} from '@millhand/api/gen/millhand/workforce/v1/usage_pb.ts'
import { principal } from '@millhand/rpc'
import { onBehalfOf } from '../on-behalf-of.ts'
import type { WorkforceDeps } from '../workforce-deps.ts'

/** Gets what the employees did, which billing sums, and what is left of the day, which identity knows. */
export const getUsage =
  ({ usage, dailyQuota }: Pick<WorkforceDeps, 'usage' | 'dailyQuota'>) =>
  async ({ start, end }: GetWorkforceUsageRequest, call: HandlerContext): Promise<WorkforceUsage> => {
    const asked = { ...(start && { start }), ...(end && { end }) }
    const [sums, day] = await Promise.all([
      usage.sumWorkforceTasks(asked, onBehalfOf(principal(call))),
      dailyQuota.today(call),
    ])
    return {
      $typeName: 'millhand.workforce.v1.WorkforceUsage',
      ...(sums.start && { start: sums.start }),
      ...(sums.end && { end: sums.end }),
      data: sums.sums.map(lineMessage),
      employees: sums.employees.map(lineMessage),
      ...(sums.total && { total: lineMessage(sums.total) }),
      quota: quotaMessage(day),
    }
  }

function lineMessage({ key, tasks, computeSeconds, inputTokens, outputTokens, cost }: UsageLine): WorkforceUsageLine {
  const [employee, task] = key?.split('/') ?? []
  return {
    $typeName: 'millhand.workforce.v1.WorkforceUsageLine',
    ...(employee !== undefined && { employee }),
    ...(task !== undefined && { task }),
    ...(tasks && { tasks }),
    computeSeconds,
    inputTokens,
    outputTokens,
    ...(cost && { cost }),
  }
}

const quotaMessage = ({ day, limit, used, resetsAt }: DailyQuota): WorkforceQuota => ({
  $typeName: 'millhand.workforce.v1.WorkforceQuota',
  day,
  ...(limit !== undefined && { limit, remaining: Math.max(0, limit - used) }),
  used,
  ...(resetsAt && { resetsAt }),
})
