/** Folds the entries of a tenant anew, and compares its ledger and its invoices with what comes out. */
import type { Prices } from '@millhand/plans'
import type { Collection, Draft } from '@millhand/store'
import type { EntryRecord } from '../usage/usage-entry.ts'
import { chargedOf, chargesOf, entryLine, keyOf, type UsageFamily } from './charges.ts'
import { type Credits, creditLine } from './credit.ts'
import type { InvoiceRecord, Invoices } from './invoice.ts'
import { LEDGER_ID, type LedgerRecord, type Ledgers } from './ledger.ts'
import { keyText, type LineSum, totalOf, withCharges } from './line.ts'
import { type Month, spanOf } from './month.ts'

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

interface Verified {
  readonly entries: number
  readonly differences: readonly Difference[]
}

/** A ledger in which something is posted meanwhile is looked at anew so often. */
const MOST_TRIES = 5

/** `since`: entries of tasks that ended before may be gone, and months that began before are left out. */
export async function verifyLedger(deps: VerifyDeps, tenant: string, since: number, month?: Month): Promise<Verified> {
  for (let tries = 1; ; tries++) {
    const before = await deps.ledgers.get(tenant, LEDGER_ID)
    if (before === undefined) return { entries: 0, differences: [] }
    const verified = await compared(deps, before, since, month)
    const after = await deps.ledgers.get(tenant, LEDGER_ID)
    if (verified.differences.length === 0 || after?.version === before.version || tries === MOST_TRIES) return verified
  }
}

async function compared(deps: VerifyDeps, ledger: LedgerRecord, since: number, month?: Month): Promise<Verified> {
  const { tenant } = ledger
  const folded = await foldEntries(deps, ledger)
  const invoices = await deps.invoices.find('primary', { equals: [tenant], limit: MOST_INVOICES })
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
    ...invoiceDifferences(invoices).filter(each => isMeant(each.month)),
  ]
  return { entries: folded.entries, differences }
}

/** Of a hundred years. */
const MOST_INVOICES = 1_200
const PAGE = 1_000

/** What is posted entry by entry; subscriptions and their corrections are a fold over the plans. */
const isPosted = ({ kind, of }: LineSum) => kind !== 'subscription' && of !== 'subscription'

async function foldEntries({ usage, credits, prices }: VerifyDeps, { tenant, pending }: LedgerRecord) {
  const months = new Map<Month, LineSum[]>()
  const differences: Difference[] = []
  let entries = 0
  const add = (month: Month, charges: readonly LineSum[]) =>
    void months.set(month, withCharges(months.get(month) ?? [], charges))
  const fold = (family: UsageFamily, entry: Draft<EntryRecord>) => {
    const { line, unit_nanos = 0, token_micros = 0, would_micros = 0 } = entry
    if (!entry.posted || line === undefined) return []
    entries++
    const month = line.slice(0, 'YYYY-MM'.length)
    const charged = { ...entry, unit_nanos, token_micros, would_micros }
    const now = chargedOf(family, entry, prices)
    if (now.unit_nanos !== unit_nanos || entryLine(month, keyOf(family, charged, month)) !== line)
      differences.push({ month, about: `entry ${entry.id}`, expected: JSON.stringify(now), actual: line })
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
    const unsettled = pending.filter(each => each.family === family)
    const isUnsettled = new Set(unsettled.map(({ entry }) => entry.id))
    for await (const page of pagesOf(usage[family].entries, tenant)) {
      for (const { id, posted } of page) if (posted && isUnsettled.has(id)) stored.add(id)
      addAll(page.flatMap(entry => fold(family, entry)))
    }
    addAll(unsettled.filter(({ entry }) => !stored.has(entry.id)).flatMap(({ entry }) => fold(family, entry)))
  }
  const granted = await credits.find('primary', { equals: [tenant], limit: 10_000 })
  addAll(granted.map(credit => [credit.month, creditLine(credit)] as const))
  return { months, differences, entries: entries + granted.length }
}

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

/** Totals and numbers. */
function invoiceDifferences(invoices: readonly InvoiceRecord[]): Difference[] {
  return invoices.flatMap(({ month, number, lines, total_micros }, at) => [
    ...(number === at + 1 ? [] : [{ month, about: 'invoice number', expected: `${at + 1}`, actual: `${number}` }]),
    ...(totalOf(lines) === total_micros
      ? []
      : [{ month, about: 'invoice total', expected: `${totalOf(lines)}`, actual: `${total_micros}` }]),
  ])
}
