/** A line of a bill as the contract shows it. */

import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { type Family, families, priceOf } from '@millhand/api'
import {
  BillingFamily,
  type BillingLine,
  BillingLineKind,
  type BillingPeriod,
  BillingUnit,
} from '@millhand/api/gen/millhand/billing/v1/billing_pb.ts'
import { OWN_MODELS } from '../ledger/charges.ts'
import type { LineKey, LineKind, LineSum } from '../ledger/line.ts'
import { lineId } from '../ledger/line-id.ts'
import { type Month, spanOf } from '../ledger/month.ts'
import { dollars, moneyMessage } from './money-message.ts'

/** A line that is billed in a month; in the sandbox with what it would have cost. */
export function lineMessage(tenant: string, month: Month, line: LineSum): BillingLine {
  const { family, kind, of, model, gpu_type, employee, unit_nanos, unit_micros, micros, would_micros } = line
  const unit = units[of ?? kind]
  return {
    $typeName: 'millhand.billing.v1.BillingLine',
    id: lineId(tenant, month, line),
    family: familyNumbers[family],
    kind: kindNumbers[kind],
    description: descriptionOf(line),
    ...(model !== undefined && { model }),
    ...(gpu_type !== undefined && { gpuType: gpu_type }),
    ...(employee !== undefined && { employee }),
    quantity: quantityOf(month, line, unit),
    unit,
    ...(unit === BillingUnit.SECOND && unit_nanos !== undefined && { unitPrice: dollars(priceOf(unit_nanos)) }),
    ...(unit_micros !== undefined && { unitPrice: moneyMessage(unit_micros) }),
    amount: moneyMessage(micros),
    ...(tenant.endsWith('/test') && { wouldHaveCost: moneyMessage(would_micros) }),
  }
}

export const periodMessage = (month: Month): BillingPeriod => ({
  $typeName: 'millhand.billing.v1.BillingPeriod',
  start: timestampFromMs(spanOf(month).start),
  end: timestampFromMs(spanOf(month).end),
})

export const familyNumbers: Readonly<Record<Family, BillingFamily>> = {
  compute: BillingFamily.COMPUTE,
  developer: BillingFamily.DEVELOPER,
  workforce: BillingFamily.WORKFORCE,
}

const familyNames = new Map(families.map(family => [familyNumbers[family], family]))

/** @throws RangeError for one that is not set */
export function familyOf(number: BillingFamily): Family {
  const family = familyNames.get(number)
  if (family === undefined) throw new RangeError('there is no such family')
  return family
}

const kindNumbers: Readonly<Record<LineKind, BillingLineKind>> = {
  subscription: BillingLineKind.SUBSCRIPTION,
  compute: BillingLineKind.COMPUTE,
  instances: BillingLineKind.INSTANCES,
  tasks: BillingLineKind.TASKS,
  tokens: BillingLineKind.TOKENS,
  credit: BillingLineKind.CREDIT,
  adjustment: BillingLineKind.ADJUSTMENT,
}

const units: Readonly<Record<LineKind, BillingUnit>> = {
  subscription: BillingUnit.MONTH,
  compute: BillingUnit.SECOND,
  instances: BillingUnit.SECOND,
  tasks: BillingUnit.SECOND,
  tokens: BillingUnit.TOKEN,
  credit: BillingUnit.ONCE,
  adjustment: BillingUnit.ONCE,
}

function quantityOf(month: Month, { quantity }: LineSum, unit: BillingUnit): number {
  switch (unit) {
    case BillingUnit.SECOND:
      return quantity / 1_000
    case BillingUnit.MONTH: {
      const { start, end } = spanOf(month)
      return Number((quantity / ((end - start) / 1_000)).toFixed(6))
    }
    case BillingUnit.ONCE:
      return 1
    default:
      return quantity
  }
}

/** In words, for people: a bill is read by who has never seen the API. */
function descriptionOf({ kind, of, of_time, reason, ...about }: LineKey & { readonly reason?: string }): string {
  if (kind === 'credit') return reason ?? 'Credit'
  if (kind !== 'adjustment' || of === undefined) return words[kind](about)
  return `${of === 'subscription' ? 'Correction' : 'Late'}: ${words[of](about)}, ${of_time}`
}

type About = Pick<LineKey, 'family' | 'model' | 'gpu_type' | 'employee' | 'plan' | 'unit_nanos'>

const words: Readonly<Record<LineKind, (about: About) => string>> = {
  subscription: ({ family, plan }) => (plan === undefined ? `${family} plan` : `${family} plan ${plan}`),
  compute: ({ model, gpu_type, unit_nanos }) =>
    `compute of ${model === OWN_MODELS ? 'own models' : model} on ${gpu_type}${unit_nanos === 0 ? ', free of charge' : ''}`,
  instances: ({ gpu_type }) => `instances on ${gpu_type}`,
  tasks: ({ employee }) => `tasks of ${employee}`,
  tokens: ({ employee }) => `language and image models of ${employee}`,
  credit: () => 'credit',
  adjustment: () => 'adjustment',
}
