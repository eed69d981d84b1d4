/** Posts charges to ledgers, each once. docs/decisions/billing.md has the four steps, and why they are enough. */

import type { Prices } from '@millhand/plans'
import { type Clock, KeyedMutex } from '@millhand/process'
import type { Collection, Draft } from '@millhand/store'
import { LRUCache } from 'lru-cache'
import type { Payments } from '../payment/payment.ts'
import type { EntryRecord } from '../usage/usage-entry.ts'
import { type Hours, hourId, hourOf } from '../usage/usage-hour.ts'
import { chargedOf, chargesOf, entryLine, storedEntry, type UsageFamily } from './charges.ts'
import type { Credits } from './credit.ts'
import type { InvoiceRecord, Invoices } from './invoice.ts'
import { billedIn, LEDGER_ID, type LedgerRecord, type Ledgers, type MonthSums, newLedger, reopened } from './ledger.ts'
import { type LineSum, withCharges } from './line.ts'
import { type Month, monthOf } from './month.ts'
import { type PendingEntry, packPending, unpackPending } from './pending.ts'

export interface PostingDeps {
  readonly ledgers: Ledgers
  readonly usage: Readonly<Record<UsageFamily, UsageStores>>
  readonly invoices: Pick<Invoices, 'write'>
  readonly payments: Pick<Payments, 'write'>
  readonly credits: Pick<Credits, 'write'>
  readonly prices: Prices
  readonly clock: Clock
  /** How long after its end a month closes, in milliseconds. */
  readonly graceMs: number
  /** From when tasks are charged, in milliseconds since 1970: those that ended before are stored and not billed. */
  readonly chargedFrom: () => Promise<number>
}

interface UsageStores {
  readonly entries: Pick<Collection<EntryRecord>, 'get' | 'find' | 'write'>
  readonly hours: Pick<Hours, 'get'>
}

type Change = (
  ledger: Draft<LedgerRecord>,
) => Promise<Draft<LedgerRecord> | undefined> | Draft<LedgerRecord> | undefined

type PostingChange = (ledger: Draft<LedgerRecord>) => Promise<Posted | undefined>

/** A ledger with entries that are posted by its write. */
interface Posted {
  readonly ledger: Draft<LedgerRecord>
  readonly pending: readonly PendingEntry[]
}

export interface Posting {
  /** Posts the entries of ended tasks. Resolves when all are stored; rejects when the store fails, and may be called again. */
  post(family: UsageFamily, entries: readonly Draft<EntryRecord>[]): Promise<void>
  /**
   * Changes the ledger of a tenant, which is made where there is none. `change` may be called again, with what another
   * process has written; undefined changes nothing. What was pending before is stored before `change` is called, and
   * what is pending then before this resolves.
   */
  change(tenant: string, change: Change): Promise<void>
}

/**
 * Ledgers as this process has written them, nothing pending. That saves reading them and storing again what was pending,
 * and nothing depends on it: where another process has changed one, the next write is refused, and it is read again.
 */
const MOST_SETTLED = 1_000
/** How many entries are posted in one change: they all lie in the ledger for a while. */
const AT_ONCE = 1_000

export function createPosting(deps: PostingDeps): Posting {
  const { ledgers, clock, graceMs, prices } = deps
  const settled = new LRUCache<string, LedgerRecord>({ max: MOST_SETTLED })
  const mutex = new KeyedMutex()

  const settledAs = (ledger: LedgerRecord): LedgerRecord => {
    const known = { ...ledger, pending: '', closing: undefined, crediting: undefined }
    settled.set(ledger.tenant, known)
    return known
  }

  async function current(tenant: string): Promise<LedgerRecord | undefined> {
    const stored = settled.get(tenant) ?? (await ledgers.get(tenant, LEDGER_ID))
    if (stored === undefined || settled.has(tenant)) return stored
    await settle(deps, stored, unpackPending(stored.pending))
    return settledAs(stored)
  }

  async function changeOnce(tenant: string, change: PostingChange): Promise<boolean> {
    const before = await current(tenant)
    const now = clock.now()
    const after = await change(before ? reopened(before, now, graceMs) : newLedger(tenant, now, graceMs))
    if (after === undefined) return true
    // Until it is known what became of the write.
    settled.delete(tenant)
    const kind = before ? ({ kind: 'replace', version: before.version } as const) : ({ kind: 'insert' } as const)
    const document = { ...after.ledger, pending: packPending(after.pending) }
    const result = await ledgers.write({ ...kind, document, events: [] })
    if (result.kind === 'conflict') return false
    await settle(deps, document, after.pending)
    settledAs({ ...document, version: result.version })
    return true
  }

  const changeLedger = (tenant: string, change: PostingChange): Promise<void> =>
    mutex.runExclusive(tenant, async () => {
      while (!(await changeOnce(tenant, change)));
    })

  return {
    change: (tenant, change) =>
      changeLedger(tenant, async before => {
        const ledger = await change(before)
        return ledger && { ledger, pending: [] }
      }),
    async post(family, drafts) {
      const from = await deps.chargedFrom()
      const isCharged = ({ finished_at }: Draft<EntryRecord>) => finished_at >= from
      const uncharged = drafts.filter(draft => !isCharged(draft))
      const stored = uncharged.map(document =>
        deps.usage[family].entries.write({ kind: 'insert', document, events: [] }),
      )
      await Promise.all(stored)
      const postTo = async (tenant: string, ofTenant: readonly Draft<EntryRecord>[]) => {
        for (let from = 0; from < ofTenant.length; from += AT_ONCE) {
          const some = ofTenant.slice(from, from + AT_ONCE)
          await changeLedger(tenant, async ledger => {
            const fresh = await unposted(deps, family, some)
            if (fresh.length === 0) return undefined
            const charged = fresh.map(entry => ({ ...entry, ...chargedOf(family, entry, prices) }))
            return withEntries(ledger, family, charged)
          })
        }
      }
      await Promise.all(
        [...Map.groupBy(drafts.filter(isCharged), ({ tenant }) => tenant)].map(([tenant, its]) => postTo(tenant, its)),
      )
    },
  }
}

/**
 * Those that no ledger has, each once. Entries of before there were ledgers are posted when their events come again. Of an
 * hour that has closed nobody can tell: entries that were posted are gone.
 */
async function unposted({ usage }: PostingDeps, family: UsageFamily, drafts: readonly Draft<EntryRecord>[]) {
  const { entries, hours } = usage[family]
  const all = [...new Map(drafts.map(draft => [draft.id, draft])).values()]
  const stored = await storedOf(entries, all)
  const fresh = all.filter(({ id }) => !stored.get(id)?.posted)
  const isOpen = new Map<number, boolean>()
  for (const { tenant, finished_at } of fresh) {
    const start = hourOf(finished_at)
    if (isOpen.has(start)) continue
    const hour = await hours.get(tenant, hourId(start))
    isOpen.set(start, hour?.state !== 'closing' && hour?.state !== 'closed')
  }
  return fresh.filter(({ finished_at }) => isOpen.get(hourOf(finished_at)))
}

/**
 * What is stored of entries of one tenant, by their ids. Most often that is nothing, and one question tells: ids sort by
 * creation, and few other tasks were created between these and have ended before.
 */
async function storedOf(
  entries: UsageStores['entries'],
  drafts: readonly Draft<EntryRecord>[],
): Promise<ReadonlyMap<string, EntryRecord>> {
  const ids = drafts.map(({ id }) => id).sort()
  const [first, last] = [ids[0], ids.at(-1)]
  if (first === undefined) return new Map()
  const tenant = drafts[0]?.tenant ?? ''
  const between = { equals: [tenant], after: [first.slice(0, -1)], before: [`${last}~`] }
  let found = await entries.find('primary', { ...between, limit: drafts.length })
  if (found.length === drafts.length) {
    const each = await Promise.all(ids.map(id => entries.get(tenant, id)))
    found = each.filter(entry => entry !== undefined)
  }
  return new Map(found.map(entry => [entry.id, entry]))
}

type Charged = Parameters<typeof chargesOf>[1]

function withEntries(ledger: Draft<LedgerRecord>, family: UsageFamily, drafts: readonly Charged[]): Posted {
  const charges = new Map<Month, LineSum[]>()
  const pending = drafts.map((draft): PendingEntry => {
    const month = billedIn(ledger, draft.finished_at)
    const ofMonth = charges.get(month) ?? []
    charges.set(month, ofMonth)
    const [run, ...others] = chargesOf(family, draft, month)
    ofMonth.push(run, ...others)
    const line = entryLine(month, run)
    return { family, entry: { ...storedEntry(draft), posted: 'yes', line } }
  })
  const withUse = family === 'workforce' ? withFirstTasks(ledger, drafts) : ledger
  return { ledger: { ...withUse, months: withMonths(ledger.months, charges) }, pending }
}

/** The subscription of a workforce plan may begin with the first task of a month: by when tasks ended, not when that is heard. */
function withFirstTasks(ledger: Draft<LedgerRecord>, drafts: readonly Charged[]): Draft<LedgerRecord> {
  const first: Record<Month, number> = { ...ledger.first_tasks }
  for (const { finished_at: at, compute_ms, input_tokens, output_tokens } of drafts) {
    if (compute_ms + input_tokens + output_tokens === 0) continue
    first[monthOf(at)] = Math.min(first[monthOf(at)] ?? at, at)
  }
  return { ...ledger, first_tasks: first }
}

/** The earliest first. */
function withMonths(months: readonly MonthSums[], charges: ReadonlyMap<Month, readonly LineSum[]>): MonthSums[] {
  const all = new Set([...months.map(({ month }) => month), ...charges.keys()])
  return [...all].sort().map(month => ({
    month,
    lines: withCharges(months.find(sums => sums.month === month)?.lines ?? [], charges.get(month) ?? []),
  }))
}

/** Stores what a ledger has pending. What is there is left alone: somebody else was faster. */
async function settle(deps: PostingDeps, ledger: Draft<LedgerRecord>, pending: readonly PendingEntry[]): Promise<void> {
  await Promise.all(pending.map(({ family, entry }) => storeEntry(deps.usage[family].entries, entry)))
  if (ledger.closing) await storeInvoice(deps, ledger.closing)
  if (ledger.crediting) await deps.credits.write({ kind: 'insert', document: ledger.crediting, events: [] })
}

async function storeEntry(entries: UsageStores['entries'], document: Draft<EntryRecord>): Promise<void> {
  for (;;) {
    const { kind } = await entries.write({ kind: 'insert', document, events: [] })
    if (kind === 'written') return
    const before = await entries.get(document.tenant, document.id)
    if (before?.posted) return
    if (before === undefined) continue
    const replaced = await entries.write({ kind: 'replace', version: before.version, document, events: [] })
    if (replaced.kind === 'written') return
  }
}

/** The payment is there when its invoice is seen, and is collected once its invoice is there. */
async function storeInvoice(
  { invoices, payments }: PostingDeps,
  { events, payment, ...document }: NonNullable<LedgerRecord['closing']>,
): Promise<void> {
  const invoice: Draft<InvoiceRecord> = document
  if (payment) await payments.write({ kind: 'insert', document: payment, events: [] })
  await invoices.write({ kind: 'insert', document: invoice, events })
}
