/**
 * Collects payments: asks the processor for each that is due, until it has ended. A payment stays due until the answer is
 * stored, so a process that dies in between leaves it to the next pass, and the processor makes nothing twice.
 */
import type { Ids } from '@millhand/api'
import { type Clock, everyInterval } from '@millhand/process'
import type { Draft } from '@millhand/store'
import type { EventName, Log } from '@millhand/telemetry'
import type { Invoices } from '../ledger/invoice.ts'
import { afterAnswer, afterFailure, lookedAt, type PaymentRecord, type Payments } from './payment.ts'
import { paymentEvents } from './payment-event.ts'
import type { PaymentProcessor, PaymentReport } from './payment-processor.ts'

export interface PaymentDeps {
  readonly payments: Payments
  readonly invoices: Pick<Invoices, 'get'>
  readonly processor: PaymentProcessor
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
}

const EVERY_MS = 60_000
const AT_ONCE = 8

/** Collects what is due, again and again, until the signal ends. Never rejects. Any number of processes may do so at once. */
export async function runCollecting(deps: PaymentDeps, signal: AbortSignal): Promise<void> {
  const { processor, clock, log } = deps
  if (!processor.collects) return
  const logged = (event: EventName) => (error: unknown) => {
    if (!signal.aborted) log.error(event, { error })
  }
  // Nothing may be due for weeks: an operator has to hear of a wrong key now. The rest of billing works without.
  await processor.check(signal).catch(logged('billing.processor_check_failed'))
  const pass = () => collectDue(deps, signal).catch(logged('billing.collecting_failed'))
  await everyInterval(clock, EVERY_MS, signal, pass)
}

async function collectDue(deps: PaymentDeps, signal: AbortSignal): Promise<void> {
  const now = deps.clock.now()
  for (let after: readonly (number | string)[] = [0]; !signal.aborted; ) {
    const due = await deps.payments.find('due', { equals: [], after, before: [now + 1], limit: AT_ONCE })
    await Promise.all(due.map(payment => collect(deps, payment, signal)))
    const last = due.at(-1)
    if (last === undefined || due.length < AT_ONCE) return
    after = [last.due, last.tenant, last.id]
  }
}

async function collect(deps: PaymentDeps, payment: PaymentRecord, signal: AbortSignal): Promise<void> {
  const { processor, invoices, clock, log } = deps
  const { tenant, id, number, month, cents, reference } = payment
  const [accountId = ''] = tenant.split('/')
  try {
    // Its event is told before those of the payment.
    if ((await invoices.get(tenant, id)) === undefined) return
    const request = { accountId, invoiceId: id, number, month, cents, reference }
    const answer = await processor.collect(request, signal)
    await change(deps, payment, before => lookedAt(afterAnswer(before, answer, clock.now()), clock.now()))
  } catch (error) {
    if (signal.aborted) return
    log.error('billing.collecting_failed', { tenant, invoice: id, failures: payment.failures + 1, error })
    await change(deps, payment, before => afterFailure(before, clock.now()))
  }
}

/** Stores what the processor reports. What is not ours, or of an invoice of the processor that is not ours, changes nothing. */
export async function storeReport(deps: PaymentDeps, report: PaymentReport): Promise<void> {
  const { payments, clock, log } = deps
  const payment = await payments.get(`${report.accountId}/live`, report.invoiceId)
  if (payment === undefined) return
  if (payment.reference !== undefined && payment.reference !== report.reference) {
    const { tenant, id: invoice, reference: expected } = payment
    log.warn('billing.report_ignored', { tenant, invoice, expected, reference: report.reference })
    return
  }
  await change(deps, payment, before => afterAnswer(before, report, clock.now()))
}

/** Changes a payment, with the event of its new status. `change` may be called again with what another process has written. */
async function change(
  { payments, invoices, ids }: PaymentDeps,
  read: PaymentRecord,
  change: (payment: Draft<PaymentRecord>) => Draft<PaymentRecord>,
): Promise<void> {
  for (let before: PaymentRecord | undefined = read; before !== undefined; ) {
    const { tenant, id, version } = before
    const document = change(before)
    if (document === before) return
    const after = { ...document, version: version + 1 }
    const invoice = after.status === before.status ? undefined : await invoices.get(tenant, id)
    const events = invoice ? paymentEvents(invoice, after, ids) : []
    if ((await payments.write({ kind: 'replace', version, document, events })).kind === 'written') return
    before = await payments.get(tenant, id)
  }
}
