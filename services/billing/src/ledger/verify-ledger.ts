/** Folds the entries of a tenant anew, and compares its ledger and its invoices with what comes out. */
import { families, runMicros } from '@millhand/api'
import type { Prices } from '@millhand/plans'
import type { Collection, Draft } from '@millhand/store'
import type { EntryRecord } from '../usage/usage-entry.ts'
import { type Charged, chargedOf, chargeOfStored, chargesOf, entryLine, keyOf, type UsageFamily } from './charges.ts'
import { type Credits, creditLine } from './credit.ts'
import type { InvoiceRecord, Invoices } from './invoice.ts'
import { LEDGER_ID, type LedgerRecord, type Ledgers } from './ledger.ts'
import { keyText, type LineSum, totalOf, withCharges } from './line.ts'
import { type Month, spanOf } from './month.ts'
import { unpackPending } from './pending.ts'

export interface VerifyDeps {
  readonly ledgers: Pick<Ledgers, 'get'>
  readonly invoices: Pick<Invoices, 'find'>
  readonly credits: Pick<Credits, 'find'>
  readonly usage: Readonly<Record<UsageFamily, { readonly entries: Pick<Collection<EntryRecord, 'by_end'>, 'find'> }>>
  readonly prices: Prices
}

interface Difference {
  readonly month: Month
  readonly about: string
  readonly expected: string
  readonly actual: string
}

interface Compared {
  readonly entries: number
  readonly differences: readonly Difference[]
}

interface Verified extends Compared {
  /** Whether the ledger changed during each look, and something differed that may be of these changes alone. */
  readonly changedMeanwhile: boolean
}

/** A ledger in which something is posted meanwhile is looked at anew so often. */
const MOST_TRIES = 5

/** `since`: entries of tasks that ended before may be gone, and months that began before are left out. */
export async function verifyLedger(deps: VerifyDeps, tenant: string, since: number, month?: Month): Promise<Verified> {
  let seen: ReadonlySet<string> = new Set()
  for (let tries = 1; ; tries++) {
    const before = await deps.ledgers.get(tenant, LEDGER_ID)
    if (before === undefined) return { entries: 0, differences: [], changedMeanwhile: false }
    const verified = await compared(deps, before, since, month)
    const { differences } = verified
    const after = await deps.ledgers.get(tenant, LEDGER_ID)
    if (differences.length === 0 || after?.version === before.version) return { ...verified, changedMeanwhile: false }
    if (tries === MOST_TRIES) {
      // What was the same at the look before is of no change.
      const lasting = differences.filter(each => seen.has(JSON.stringify(each)))
      return { ...verified, differences: lasting, changedMeanwhile: lasting.length < differences.length }
    }
    seen = new Set(differences.map(each => JSON.stringify(each)))
  }
}

async function compared(deps: VerifyDeps, ledger: LedgerRecord, since: number, month?: Month): Promise<Compared> {
  const { tenant } = ledger
  const folded = await foldEntries(deps, ledger)
  const stored = await deps.invoices.find('primary', { equals: [tenant], limit: MOST_INVOICES })
  const invoices = withUnsettled<Draft<InvoiceRecord>>(stored, ledger.closing)
  const isMeant = (each: Month) =>
    (month === undefined || each === month) &&
    spanOf(each).start >= since &&
    // The sandbox has no invoices: the sums of its closed months are nowhere.
    (ledger.mode === 'live' || each >= ledger.open_from)
  const actual = new Map([
    ...invoices.map(invoice => [invoice.month, invoice.lines.filter(isPosted)] as const),
    ...ledger.months.map(sums => [sums.month, sums.lines] as const),
  ])
  const months = [...new Set([...actual.keys(), ...folded.months.keys()])].filter(isMeant).sort()
  const differences = [
    ...folded.differences.filter(each => isMeant(each.month)),
    ...months.flatMap(each => lineDifferences(each, folded.months.get(each) ?? [], actual.get(each) ?? [])),
    ...[...invoiceDifferences(invoices), ...subscriptionDifferences(ledger, invoices)].filter(each =>
      isMeant(each.month),
    ),
  ]
  return { entries: folded.entries, differences }
}

/** Of a hundred years. */
const MOST_INVOICES = 1_200
const PAGE = 1_000

/** What is posted entry by entry; subscriptions and their corrections are a fold over the plans. */
const isPosted = ({ kind, of }: LineSum) => kind !== 'subscription' && of !== 'subscription'

/** With what a ledger has pending, where that is not stored yet: a process may have died before. */
const withUnsettled = <D extends { readonly id: string }>(
  stored: readonly D[],
  pending: D | undefined,
): readonly D[] => (pending === undefined || stored.some(({ id }) => id === pending.id) ? stored : [...stored, pending])

async function foldEntries(
  { usage, credits, prices }: VerifyDeps,
  { tenant, pending, crediting }: Pick<LedgerRecord, 'tenant' | 'pending' | 'crediting'>,
) {
  const months = new Map<Month, LineSum[]>()
  const differences: Difference[] = []
  let entries = 0
  const add = (month: Month, charges: readonly LineSum[]) =>
    void months.set(month, withCharges(months.get(month) ?? [], charges))
  const fold = (family: UsageFamily, entry: Draft<EntryRecord>) => {
    const { line } = entry
    if (!entry.posted || line === undefined) return []
    entries++
    const month = line.slice(0, 'YYYY-MM'.length)
    const charged = { ...entry, ...chargeOfStored(entry) }
    const now = chargedOf(family, entry, prices)
    const [expected, actual] = [
      chargeText(now, costOf(entry, now), entryLine(month, keyOf(family, { ...entry, ...now }, month))),
      chargeText(charged, entry.cost_micros, line),
    ]
    if (expected !== actual) differences.push({ month, about: `entry ${entry.id}`, expected, actual })
    return chargesOf(family, charged, month).map(charge => [month, charge] as const)
  }
  const addAll = (charges: readonly (readonly [Month, LineSum])[]) => {
    for (const [month, its] of Map.groupBy(charges, ([of]) => of))
      add(
        month,
        its.map(([, charge]) => charge),
      )
  }
  for (const family of ['compute', 'workforce', 'instances'] as const) {
    const stored = new Set<string>()
    const unsettled = unpackPending(pending).filter(each => each.family === family)
    const isUnsettled = new Set(unsettled.map(({ entry }) => entry.id))
    for await (const page of pagesOf(usage[family].entries, tenant)) {
      for (const { id, posted } of page) if (posted && isUnsettled.has(id)) stored.add(id)
      addAll(page.flatMap(entry => fold(family, entry)))
    }
    addAll(unsettled.filter(({ entry }) => !stored.has(entry.id)).flatMap(({ entry }) => fold(family, entry)))
  }
  const stored = await credits.find('primary', { equals: [tenant], limit: 10_000 })
  const granted = withUnsettled(stored, crediting)
  addAll(granted.map(credit => [credit.month, creditLine(credit)] as const))
  return { months, differences, entries: entries + granted.length }
}

/** What an entry of its quantities costs. Nothing in the sandbox. */
const costOf = ({ tenant, compute_ms }: Draft<EntryRecord>, { unit_nanos, token_micros }: Charged): number =>
  tenant.endsWith('/test') ? 0 : runMicros(compute_ms, unit_nanos) + token_micros

const chargeText = ({ unit_nanos, token_micros, would_micros }: Charged, cost: number, line: string) =>
  `${cost} micro-dollars (${would_micros}), ${token_micros} of them for tokens, at ${unit_nanos} nano-dollars, on ${line}`

async function* pagesOf(entries: Pick<Collection<EntryRecord, 'by_end'>, 'find'>, tenant: string) {
  for (let after: readonly (number | string)[] = [0]; ; ) {
    const page = await entries.find('by_end', { equals: [tenant], after, limit: PAGE })
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = [last.finished_at, last.id]
  }
}

function lineDifferences(month: Month, expected: readonly LineSum[], actual: readonly LineSum[]): Difference[] {
  const texts = (lines: readonly LineSum[]) =>
    new Map(lines.filter(isCharged).map(line => [keyText(line), sumText(line)]))
  const [is, shouldBe] = [texts(actual), texts(expected)]
  return [...new Set([...is.keys(), ...shouldBe.keys()])].sort().flatMap(key => {
    const [one = 'nothing', other = 'nothing'] = [shouldBe.get(key), is.get(key)]
    return one === other ? [] : [{ month, about: `line ${key}`, expected: one, actual: other }]
  })
}

/** A bill shows no others. */
const isCharged = ({ quantity, micros }: LineSum) => quantity > 0 || micros !== 0

const sumText = ({ quantity, micros, would_micros }: LineSum) =>
  `${micros} micro-dollars (${would_micros}) for ${quantity}`

/**
 * What invoices have for the subscriptions of a month, with the corrections on later ones, against what the ledger says was
 * billed of it. Of the latest months that have closed, as long as all plans are known that they had.
 */
function subscriptionDifferences(
  { billed, plans: [first], plans_from }: LedgerRecord,
  invoices: readonly Draft<InvoiceRecord>[],
): Difference[] {
  const isKnown = (month: Month) => plans_from === undefined || (first && first.at <= spanOf(month).start)
  return billed
    .filter(({ month }) => isKnown(month))
    .flatMap(({ month, subscriptions }) => {
      const lines = invoices.flatMap(invoice =>
        invoice.lines.filter(({ kind, of, of_time }) =>
          of === undefined
            ? kind === 'subscription' && invoice.month === month
            : of === 'subscription' && of_time === month,
        ),
      )
      return families.flatMap((family): Difference[] => {
        const [expected, actual] = [subscriptions[family] ?? 0, totalOf(lines.filter(line => line.family === family))]
        if (expected === actual) return []
        const about = `subscriptions of ${family}`
        return [{ month, about, expected: `${expected} micro-dollars`, actual: `${actual} micro-dollars` }]
      })
    })
}

/** Totals and numbers. */
function invoiceDifferences(invoices: readonly Draft<InvoiceRecord>[]): Difference[] {
  return invoices.flatMap(({ month, number, lines, total_micros }, at) => [
    ...(number === at + 1 ? [] : [{ month, about: 'invoice number', expected: `${at + 1}`, actual: `${number}` }]),
    ...(totalOf(lines) === total_micros
      ? []
      : [{ month, about: 'invoice total', expected: `${totalOf(lines)}`, actual: `${total_micros}` }]),
  ])
}
