import { type Timestamp, timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import { decimalOf, enumWords, fail } from '@millhand/api'
import {
  type GetUsageRequest,
  type Usage,
  UsageGroupSchema,
  type UsageLine,
} from '@millhand/api/gen/millhand/billing/v1/usage_pb.ts'
import { principal } from '@millhand/rpc'
import type { BillingDeps } from '../billing.ts'
import { HOUR_MS, hourOf } from '../usage/hour.ts'
import { type GroupBy, readUsage } from '../usage/reading.ts'
import type { Sum } from '../usage/sums.ts'

const groupWords = enumWords(UsageGroupSchema) as ReadonlyMap<number, GroupBy>

/** Gets the usage of compute: of this month until now, where nothing else is asked for. */
export const getUsage =
  ({ entries, hours, clock }: Pick<BillingDeps, 'entries' | 'hours' | 'clock'>) =>
  async (req: GetUsageRequest, call: HandlerContext): Promise<Usage> => {
    const { start, end } = spanOf(req, clock.now())
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

const MOST_DAYS = 366
const DAY_MS = 86_400_000
/** No timestamp is of the year after. */
const LAST_END = Date.UTC(9999, 11, 31, 23)

/** Whole hours. */
function spanOf(req: GetUsageRequest, now: number): { readonly start: number; readonly end: number } {
  const today = new Date(now)
  const start = hourOf(msOf(req.start) ?? Date.UTC(today.getUTCFullYear(), today.getUTCMonth()))
  const asked = msOf(req.end) ?? now
  if (asked < (msOf(req.start) ?? start)) {
    throw fail('invalid_parameter', '`end` must not be before `start`.', { param: req.end ? 'end' : 'start' })
  }
  const end = hourOf(asked + HOUR_MS - 1)
  if (end > LAST_END) throw fail('invalid_parameter', '`end` must be at most 9999-12-31T23:00:00Z.', { param: 'end' })
  if (end - start > MOST_DAYS * DAY_MS) {
    const param = req.start ? 'start' : 'end'
    throw fail('invalid_parameter', `\`start\` and \`end\` must be at most ${MOST_DAYS} days apart.`, { param })
  }
  return { start, end }
}

const msOf = (time: Timestamp | undefined): number | undefined => time && timestampMs(time)

const lineMessage = (sum: Sum): UsageLine => ({
  $typeName: 'millhand.billing.v1.UsageLine',
  tasks: {
    $typeName: 'millhand.billing.v1.TaskCounts',
    succeeded: sum.succeeded,
    failed: sum.failed,
    cancelled: sum.cancelled,
    expired: sum.expired,
  },
  computeSeconds: sum.compute_ms / 1000,
  inputTokens: sum.input_tokens,
  outputTokens: sum.output_tokens,
  items: sum.items,
  cost: { $typeName: 'millhand.type.v1.Money', amount: decimalOf(sum.cost_micros), currency: 'USD' },
})
