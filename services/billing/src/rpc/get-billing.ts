import type { HandlerContext } from '@connectrpc/connect'
import { divideHalfEven, type Span } from '@millhand/api'
import type { Billing, GetBillingRequest } from '@millhand/api/gen/millhand/billing/v1/billing_pb.ts'
import { principal } from '@millhand/rpc'
import type { BillDeps } from '../billing-deps.ts'
import { billOf } from '../ledger/bill.ts'
import { LEDGER_ID, newLedger } from '../ledger/ledger.ts'
import { type LineSum, totalOf } from '../ledger/line.ts'
import { monthOf, spanOf } from '../ledger/month.ts'
import type { LimitDeps } from '../limits/limit-check.ts'
import { LIMITS_ID } from '../limits/spending-limits.ts'
import { listedInvoice } from './invoice-message.ts'
import { lineMessage, periodMessage } from './line-message.ts'
import { moneyMessage } from './money-message.ts'
import { findInvoices } from './read-invoices.ts'
import { limitMessages } from './spending-limits.ts'

const MOST_INVOICES = 12

/** Gets the bill of the month that goes on. The ledger is read once, before the invoices: it shows one that closes in between. */
export const getBilling =
  (deps: BillDeps & Pick<LimitDeps, 'limits'>) =>
  async (_: GetBillingRequest, call: HandlerContext): Promise<Billing> => {
    const { ledgers, prices, clock, graceMs } = deps
    const { tenant, plans, mode } = principal(call)
    const now = clock.now()
    const month = monthOf(now)
    const [stored, limits] = await Promise.all([ledgers.get(tenant, LEDGER_ID), deps.limits.get(tenant, LIMITS_ID)])
    const latest = await findInvoices(deps, { equals: [tenant], order: 'desc', limit: MOST_INVOICES }, stored)
    const ledger = stored ?? newLedger(tenant, now, graceMs)
    const lines = billOf(ledger, month, now, prices)
    const isSandbox = mode === 'test'
    return {
      $typeName: 'millhand.billing.v1.Billing',
      period: periodMessage(month),
      plans: { $typeName: 'millhand.billing.v1.BillingPlans', ...plans },
      lines: lines.map(line => lineMessage(tenant, month, line)),
      total: moneyMessage(totalOf(lines)),
      forecast: {
        $typeName: 'millhand.billing.v1.BillingForecast',
        total: moneyMessage(forecastOf(lines, billOf(ledger, month, spanOf(month).end, prices), spanOf(month), now)),
        method: 'linear',
      },
      invoices: latest.map(listedInvoice),
      limits: limitMessages(tenant, month, limits, stored),
      ...(isSandbox && { wouldHaveCost: moneyMessage(lines.reduce((sum, line) => sum + line.would_micros, 0)) }),
    }
  }

/** Of the first minutes of a month nothing can be forecast. */
const HOUR_MS = 3_600_000

/** Usage goes on as it has so far; the plans stay, and what happens once does not happen again. */
function forecastOf(lines: readonly LineSum[], whole: readonly LineSum[], { start, end }: Span, now: number): number {
  const used = totalOf(lines.filter(isUsage))
  const elapsed = BigInt(Math.max(HOUR_MS, now - start))
  const usage = Number(divideHalfEven(BigInt(used) * BigInt(end - start), elapsed))
  return totalOf([...whole.filter(line => !isUsage(line)), { micros: usage }])
}

const isUsage = ({ kind }: LineSum) => ['compute', 'instances', 'tasks', 'tokens'].includes(kind)
