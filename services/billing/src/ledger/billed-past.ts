/** What the stores of billing say of the past, when it starts. */
import { families } from '@millhand/api'
import type { Collection } from '@millhand/store'
import type { EntryRecord } from '../usage/usage-entry.ts'
import type { UsageFamily } from './charges.ts'
import type { Ledgers } from './ledger.ts'
import { monthOf } from './month.ts'
import type { IsRepriced } from './price-history.ts'
import { plansSince } from './subscription.ts'

interface PastDeps {
  readonly ledgers: Pick<Ledgers, 'find'>
  readonly usage: Readonly<
    Record<UsageFamily, { readonly entries: Pick<Collection<EntryRecord, 'by_end' | 'by_line'>, 'find'> }>
  >
}

const AT_ONCE = 100

export function billedPast({ ledgers, usage }: PastDeps) {
  const stores = Object.values(usage).map(({ entries }) => entries)
  const someOf = async (...found: readonly Promise<readonly unknown[]>[]) =>
    (await Promise.all(found)).some(({ length }) => length > 0)
  return {
    /** Whether usage was counted here. */
    isUsageCounted: () => someOf(...stores.map(entries => entries.find('by_end', { equals: [], limit: 1 }))),
    /**
     * Whether a task that ended at a time or later is billed, or its month has closed, or a plan that is repriced has run since.
     * Of each account one entry is read.
     */
    async isBilledSince(time: number, isRepriced: IsRepriced): Promise<boolean> {
      for (let after: readonly (number | string)[] = [0]; ; ) {
        const page = await ledgers.find('due', { equals: [], after, limit: AT_ONCE })
        if (page.some(({ open_from }) => open_from > monthOf(time))) return true
        const running = page.flatMap(({ plans }) => plansSince(plans, time)).filter(({ suspended }) => !suspended)
        if (running.some(plans => families.some(family => isRepriced(family, plans[family])))) return true
        const later = page.flatMap(({ tenant }) =>
          stores.map(entries => entries.find('by_end', { equals: [tenant], after: [time - 1], limit: 1 })),
        )
        if (await someOf(...later)) return true
        const last = page.at(-1)
        if (last === undefined || page.length < AT_ONCE) return false
        after = [last.due, last.tenant, last.id]
      }
    },
  }
}
