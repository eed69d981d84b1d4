/** The events of spending limits, ready for the log. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { type Ids, jsonWriter, publicEvent } from '@millhand/api'
import { type SpendingLimit, SpendingLimitSchema } from '@millhand/api/gen/millhand/billing/v1/billing_pb.ts'
import { publicTopics } from '@millhand/eventlog/public-topics'
import type { OutboxEvent } from '@millhand/store'
import { type Month, spanOf } from '../ledger/month.ts'
import { familyNumbers } from '../rpc/line-message.ts'
import { moneyMessage } from '../rpc/money-message.ts'
import type { LimitedFamily, Reached } from './spending-limits.ts'

const write = jsonWriter(SpendingLimitSchema)

/** The limit of a family, with what was spent of it in a month. */
export const limitMessage = (
  tenant: string,
  month: Month,
  { family, limit, spent }: { readonly family: LimitedFamily; readonly limit: number; readonly spent: number },
): SpendingLimit => ({
  $typeName: 'millhand.billing.v1.SpendingLimit',
  id: `limit_${tenant.replace('acct_', '').replace('/', '_')}_${family}`,
  family: familyNumbers[family],
  limit: moneyMessage(limit),
  spent: moneyMessage(spent),
  resetsAt: timestampFromMs(spanOf(month).end),
})

export function limitEvent(
  tenant: string,
  month: Month,
  reached: Reached,
  { ids, now, resourceVersion }: { readonly ids: Ids; readonly now: number; readonly resourceVersion: number },
): OutboxEvent {
  const [accountId = '', mode] = tenant.split('/')
  const message = limitMessage(tenant, month, reached)
  return publicEvent({
    ...{ topic: publicTopics.billing.name, key: message.id, id: ids('evt'), time: now, accountId, resourceVersion },
    type: reached.percent === 100 ? 'billing.limit_reached' : 'billing.limit_warning',
    mode: mode === 'test' ? 'test' : 'live',
    object: write(message),
  })
}
