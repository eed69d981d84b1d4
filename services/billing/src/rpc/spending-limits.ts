import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import { type Fault, failIf } from '@millhand/api'
import type { SpendingLimit } from '@millhand/api/gen/millhand/billing/v1/billing_pb.ts'
import type {
  ListReachedLimitsRequest,
  ListReachedLimitsResponse,
  ReachedLimit,
  UpdateLimitsRequest,
  UpdateLimitsResponse,
} from '@millhand/api/gen/millhand/billing/v1/spending_limit_pb.ts'
import type { Money } from '@millhand/api/gen/millhand/type/v1/money_pb.ts'
import { principal } from '@millhand/rpc'
import { LEDGER_ID, type LedgerRecord } from '../ledger/ledger.ts'
import { type Month, monthOf, spanOf } from '../ledger/month.ts'
import { changeLimits, checkLimits, type LimitDeps } from '../limits/limit-check.ts'
import { limitMessage } from '../limits/limit-event.ts'
import {
  isOver,
  LIMITS_ID,
  type LimitedFamily,
  limitedFamilies,
  type SpendingLimitsRecord,
  spentOf,
  toldOf,
} from '../limits/spending-limits.ts'
import { familyNumbers } from './line-message.ts'
import { moneyMessage } from './money-message.ts'

/** What the tenant may spend in a month, and has spent of it. */
export function limitMessages(
  tenant: string,
  month: Month,
  record: SpendingLimitsRecord | undefined,
  ledger: LedgerRecord | undefined,
): SpendingLimit[] {
  return limitedFamilies.flatMap(family => {
    const limit = record?.limits[family]
    if (limit === undefined) return []
    const spent = spentOf(ledger?.months ?? [], month, family, tenant.endsWith('/test'))
    return [limitMessage(tenant, month, { family, limit, spent })]
  })
}

/** Replaces the limits. One that is below what was spent is reached at once; one that stays the same goes on. */
export const updateLimits =
  (deps: LimitDeps) =>
  async (req: UpdateLimitsRequest, call: HandlerContext): Promise<UpdateLimitsResponse> => {
    const { tenant } = principal(call)
    failIf(limitedFamilies.flatMap(family => amountFaults(family, req[family])))
    await changeLimits(deps, tenant, before => {
      const limits: SpendingLimitsRecord['limits'] = Object.fromEntries(
        limitedFamilies.flatMap(family => {
          const money = req[family]
          return money === undefined ? [] : [[family, microsOfMoney(money)]]
        }),
      )
      if (before === undefined && Object.keys(limits).length === 0) return undefined
      const { resource_version = 0, told = [] } = before ?? {}
      return { tenant, id: LIMITS_ID, limits, told, resource_version: resource_version + 1 }
    })
    // What was posted since the ledger was read may not have heard of the new limit.
    const record = await checkLimits(deps, tenant)
    const ledger = await deps.ledgers.get(tenant, LEDGER_ID)
    const limits = limitMessages(tenant, monthOf(deps.clock.now()), record, ledger)
    return { $typeName: 'millhand.billing.v1.UpdateLimitsResponse', limits }
  }

const MOST_LISTED = 1_000

/** Lists whose creates are refused, by their tenants. Gateways ask again and again. */
export const listReachedLimits =
  ({ limits, clock }: Pick<LimitDeps, 'limits' | 'clock'>) =>
  async ({ after }: ListReachedLimitsRequest): Promise<ListReachedLimitsResponse> => {
    const found = await limits.find('reached', {
      equals: [LIMITS_ID],
      ...(after !== undefined && { after: [after, LIMITS_ID] }),
      limit: MOST_LISTED,
    })
    const last = found.at(-1)
    return {
      $typeName: 'millhand.billing.v1.ListReachedLimitsResponse',
      limits: found.flatMap(record => [...reachedLimits(record, clock.now()).values()]),
      ...(last !== undefined && found.length === MOST_LISTED && { next: last.tenant }),
    }
  }

/** Those of a tenant that are reached, by family. */
export function reachedLimits(record: SpendingLimitsRecord, now: number): Map<LimitedFamily, ReachedLimit> {
  const month = monthOf(now)
  const reached = limitedFamilies.filter(family => isOver(record, family, month))
  return new Map(
    reached.map(family => [
      family,
      {
        $typeName: 'millhand.billing.v1.ReachedLimit',
        tenant: record.tenant,
        family: familyNumbers[family],
        limit: moneyMessage(record.limits[family] ?? 0),
        spent: moneyMessage(toldOf(record, family, month)?.spent ?? 0),
        resetsAt: timestampFromMs(spanOf(month).end),
      },
    ]),
  )
}

const AMOUNT = /^\d{1,9}(\.\d{1,6})?$/

function amountFaults(family: string, money: Money | undefined): Fault[] {
  if (money === undefined) return []
  const [amount, currency] = [`${family}.amount`, `${family}.currency`]
  const form = `\`${amount}\` must be a decimal number with at most six places, for example \`250.00\`.`
  return [
    ...(AMOUNT.test(money.amount) ? [] : [{ param: amount, code: 'wrong_type', message: form }]),
    ...(money.currency === 'USD' ? [] : [{ param: currency, code: 'not_in', message: `\`${currency}\` must be USD.` }]),
  ]
}

/** In millionths, of an amount without a fault. */
function microsOfMoney({ amount }: Money): number {
  const [whole = '0', decimals = ''] = amount.split('.')
  return Number(whole + decimals.padEnd(6, '0'))
}
