import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import { enumWords } from '@millhand/api'
import { type GetUsageRequest, type Usage, UsageGroupSchema } from '@millhand/api/gen/millhand/billing/v1/usage_pb.ts'
import { principal } from '@millhand/rpc'
import type { BillingDeps } from '../billing-deps.ts'
import { type GroupBy, readUsage } from '../usage/usage-query.ts'
import { timeRangeOf } from './time-range.ts'
import { lineMessage } from './usage-line-message.ts'

const groupWords = enumWords(UsageGroupSchema) as ReadonlyMap<number, GroupBy>

/** Gets the usage of compute: of this month until now, where nothing else is asked for. */
export const getUsage =
  ({ entries, hours, clock }: Pick<BillingDeps, 'entries' | 'hours' | 'clock'>) =>
  async (req: GetUsageRequest, call: HandlerContext): Promise<Usage> => {
    const { start, end } = timeRangeOf(req, clock.now())
    const groupBy = req.groupBy === undefined ? undefined : groupWords.get(req.groupBy)
    const { total, groups } = await readUsage({ entries, hours }, { ...principal(call), start, end, groupBy })
    return {
      $typeName: 'millhand.billing.v1.Usage',
      start: timestampFromMs(start),
      end: timestampFromMs(end),
      ...(req.groupBy !== undefined && { groupBy: req.groupBy }),
      data: groups.map(([key, sum]) => ({ ...lineMessage(sum), key })),
      total: lineMessage(total),
    }
  }
