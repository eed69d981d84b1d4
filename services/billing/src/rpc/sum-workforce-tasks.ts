import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import type {
  SumWorkforceTasksRequest,
  SumWorkforceTasksResponse,
} from '@millhand/api/gen/millhand/billing/v1/workforce_usage_service_pb.ts'
import { principal } from '@millhand/rpc'
import type { BillingDeps } from '../billing-deps.ts'
import { readUsage, type UsageSums } from '../usage/usage-query.ts'
import { addSum, type Sum, SumsByKey } from '../usage/usage-sum.ts'
import { timeRangeOf } from './time-range.ts'
import { lineMessage } from './usage-line-message.ts'

/** Sums what employees did, by employee and kind of work. The entries and hours are those of the workforce's tasks. */
export const sumWorkforceTasks =
  ({ entries, hours, clock }: BillingDeps) =>
  async (req: SumWorkforceTasksRequest, call: HandlerContext): Promise<SumWorkforceTasksResponse> => {
    const { start, end } = timeRangeOf(req, clock.now())
    const query = { ...principal(call), start, end, groupBy: 'model' } as const
    const { total, groups } = await readUsage({ entries, hours }, query)
    return {
      $typeName: 'millhand.billing.v1.SumWorkforceTasksResponse',
      start: timestampFromMs(start),
      end: timestampFromMs(end),
      sums: groups.map(keyed),
      total: lineMessage(total),
      employees: [...employeesOf(groups)].map(keyed),
    }
  }

const keyed = ([key, sum]: readonly [string, Sum]) => ({ ...lineMessage(sum), key })

/** In the order of the keys that they are made of. */
function employeesOf(groups: UsageSums['groups']): ReadonlyMap<string, Sum> {
  const employees = new SumsByKey<string>()
  for (const [key, sum] of groups) addSum(employees.at(key.slice(0, key.indexOf('/'))), sum)
  return employees.sums
}
