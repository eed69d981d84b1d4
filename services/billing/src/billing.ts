/** Billing: what accounts use and owe. It knows what the events of tasks and accounts say, and asks nobody. */
import { type Cursors, createIds } from '@millhand/api'
import { BillingService } from '@millhand/api/gen/millhand/billing/v1/billing_service_pb.ts'
import { LedgerService } from '@millhand/api/gen/millhand/billing/v1/ledger_service_pb.ts'
import { PaymentService } from '@millhand/api/gen/millhand/billing/v1/payment_service_pb.ts'
import { UsageService } from '@millhand/api/gen/millhand/billing/v1/usage_service_pb.ts'
import { WorkforceUsageService } from '@millhand/api/gen/millhand/billing/v1/workforce_usage_service_pb.ts'
import type { EventLog, LoggedEvent } from '@millhand/eventlog'
import { publicTopics } from '@millhand/eventlog/public-topics'
import type { Plans } from '@millhand/plans'
import type { Clock } from '@millhand/process'
import type { Routes } from '@millhand/rpc'
import type { Database, Draft } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import { collectionsOf } from './collections.ts'
import { billedPast } from './ledger/billed-past.ts'
import { createCalendar } from './ledger/calendar.ts'
import type { UsageFamily } from './ledger/charges.ts'
import { runClosing } from './ledger/closing.ts'
import type { NewInvoice } from './ledger/invoice.ts'
import { finalInvoice } from './ledger/invoice-event.ts'
import { consumeAccountEvents } from './ledger/plan-consumer.ts'
import { createPosting, type Posting } from './ledger/posting.ts'
import { keepPrices } from './ledger/price-history.ts'
import { checkLimits } from './limits/limit-check.ts'
import { runCollecting } from './payment/collecting.ts'
import { noProcessor } from './payment/no-processor.ts'
import type { PaymentProcessor } from './payment/payment-processor.ts'
import type { Seller } from './rendition/seller.ts'
import { getBilling } from './rpc/get-billing.ts'
import { getReachedWorkforceLimit } from './rpc/get-reached-workforce-limit.ts'
import { getUsage } from './rpc/get-usage.ts'
import { listLineEntries } from './rpc/list-line-entries.ts'
import { postCredit } from './rpc/post-credit.ts'
import { getInvoice, listInvoices } from './rpc/read-invoices.ts'
import { receiveNotification } from './rpc/receive-notification.ts'
import { renderInvoice } from './rpc/render-invoice.ts'
import { listReachedLimits, updateLimits } from './rpc/spending-limits.ts'
import { sumWorkforceTasks } from './rpc/sum-workforce-tasks.ts'
import { verifyLedger } from './rpc/verify-ledger.ts'
import { createHourlyRollup } from './usage/hourly-rollup.ts'
import { instanceEntry } from './usage/instance-event.ts'
import { computeEntry, type EntryOf, workforceEntry } from './usage/task-event.ts'
import { consumeTaskEvents } from './usage/usage-consumer.ts'
import type { EntryRecord } from './usage/usage-entry.ts'

export type { PaymentProcessor } from './payment/payment-processor.ts'
export type { Seller } from './rendition/seller.ts'

export interface BillingOptions {
  readonly db: Database
  readonly events: Pick<EventLog, 'subscribe'>
  readonly plans: Pick<Plans, 'prices'>
  readonly cursors: Cursors
  readonly clock: Clock
  readonly log: Log
  /** How long the entry of a task is kept after its hour was summed, in milliseconds. The sums stay. */
  readonly entriesKeptMs: number
  /** How long after its end a month closes, in milliseconds. */
  readonly graceMs: number
  /** Who sends the invoices. */
  readonly seller?: Seller
  /** Who collects invoices; nobody where it is not set. */
  readonly processor?: PaymentProcessor | undefined
}

export function createBillingService(options: BillingOptions) {
  const { events, clock, log, graceMs, processor = noProcessor } = options
  const { prices } = options.plans
  const stores = collectionsOf(options.db)
  const ids = createIds({ now: () => clock.now() })
  let start: Promise<number> | undefined
  /**
   * Once a process: resolves to the time from which tasks are charged. A store that failed is asked again, and so is one that
   * says a time that is to come: the clock was ahead, and has been set right.
   */
  const started = async (): Promise<number> => {
    start ??= keepPrices(stores.prices, prices.sets, clock.now(), billedPast(stores)).catch(error => {
      start = undefined
      throw error
    })
    const from = await start
    if (from <= clock.now()) return from
    start = undefined
    return await started()
  }
  const posting = createPosting({ ...stores, prices, clock, graceMs, chargedFrom: started })
  const limitDeps = { ...stores, clock, ids }
  const check = (tenant: string) => checkLimits(limitDeps, tenant)
  const groups: Group[] = [
    usageGroup(options, posting, { ...stores.usage.compute, family: 'compute', entryOf: computeEntry }, check),
    usageGroup(options, posting, { ...stores.usage.workforce, family: 'workforce', entryOf: workforceEntry }, check),
    usageGroup(options, posting, { ...stores.usage.instances, family: 'instances', entryOf: instanceEntry }, check),
    {
      name: 'billing-accounts',
      topic: publicTopics.identity.name,
      handle: consumeAccountEvents({ posting, prices, clock, log }),
    },
  ]
  const closing = {
    ...{ ledgers: stores.ledgers, posting, prices, clock, log, graceMs },
    finalize: (invoice: NewInvoice) => finalInvoice(invoice, ids, processor.collects),
    now: createCalendar({ calendar: stores.calendar, clock, log, graceMs }),
  }
  const collecting = { ...stores, processor, clock, ids, log }

  return {
    /**
     * Holds the file of plans to the prices that have been in force. The service does not work before.
     *
     * @throws ConfigurationError
     */
    async checkPrices(): Promise<void> {
      await started()
    },
    /** What its groups read of the event log, by their names. */
    topics: Object.fromEntries(groups.map(({ name, topic }) => [name, [topic]])),
    routes(router: Routes): void {
      const deps = { ...stores, prices, clock, graceMs, cursors: options.cursors }
      router.service(BillingService, {
        getBilling: getBilling(deps),
        updateLimits: updateLimits(limitDeps),
        listReachedLimits: listReachedLimits(limitDeps),
        listInvoices: listInvoices(deps),
        getInvoice: getInvoice(deps),
        renderInvoice: renderInvoice({ ...deps, seller: options.seller ?? { name: 'Millhand', address: [] } }),
        listLineEntries: listLineEntries(deps),
      })
      router.service(LedgerService, {
        postCredit: postCredit({ ...stores, posting, clock }),
        verifyLedger: verifyLedger({ ...stores, prices, clock, entriesKeptMs: options.entriesKeptMs }),
      })
      router.service(PaymentService, { receiveNotification: receiveNotification(collecting) })
      router.service(UsageService, { getUsage: getUsage({ ...stores.usage.compute, clock }) })
      router.service(WorkforceUsageService, {
        sumWorkforceTasks: sumWorkforceTasks({ ...stores.usage.workforce, clock }),
        getReachedWorkforceLimit: getReachedWorkforceLimit(limitDeps),
      })
    },
    /** Hears of tasks and accounts, closes months and collects payments, until the signal ends. Any number of processes may do so at once. */
    async run(signal: AbortSignal): Promise<void> {
      await started()
      const hearing = groups.map(async ({ name, topic, handle, run }) => {
        const handled = async (batch: readonly LoggedEvent[]) => {
          await handle(batch).catch(error => {
            log.error('billing.posting_failed', { events: batch.length, error })
            throw error // It comes again.
          })
        }
        await Promise.all([events.subscribe(name, [topic], handled, signal), run?.(signal)])
      })
      await Promise.all([...hearing, runClosing(closing, signal), runCollecting(collecting, signal)])
    },
  }
}

/** A consumer group. */
interface Group {
  /** Where its place in the log is kept. */
  readonly name: string
  readonly topic: string
  readonly handle: (events: readonly LoggedEvent[]) => Promise<void>
  /** What else it does. */
  readonly run?: (signal: AbortSignal) => Promise<void>
}

type UsageStores = ReturnType<typeof collectionsOf>['usage'][UsageFamily]

/** The tasks of one topic, posted and summed by the hour. */
function usageGroup(
  { clock, log, entriesKeptMs: keptMs }: BillingOptions,
  posting: Posting,
  { entries, hours, family, entryOf }: UsageStores & { readonly family: UsageFamily; readonly entryOf: EntryOf },
  check: (tenant: string) => Promise<unknown>,
): Group {
  const summing = createHourlyRollup({ entries, hours, clock, log, keptMs })
  const post = async (drafts: readonly Draft<EntryRecord>[]) => {
    await posting.post(family, drafts)
    await Promise.all([...new Set(drafts.map(({ tenant }) => tenant))].map(check))
  }
  return {
    name: `billing-${family}`,
    topic: publicTopics[family === 'compute' ? 'tasks' : family].name,
    handle: consumeTaskEvents({ entries, hours, clock, log, entryOf, post, onCounted: summing.counted }),
    run: signal => summing.run(signal),
  }
}
