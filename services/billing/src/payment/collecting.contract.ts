/** Payments are collected to their end by every store, also by two processes at once. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createIds } from '@millhand/api'
import { manualClock } from '@millhand/process'
import type { Database, WriteResult } from '@millhand/store'
import { createLog } from '@millhand/telemetry'
import { type InvoiceRecord, invoicesSpec } from '../ledger/invoice.ts'
import { finalInvoice } from '../ledger/invoice-event.ts'
import { runCollecting, storeReport } from './collecting.ts'
import { noProcessor } from './no-processor.ts'
import { type PaymentRecord, type Payments, paymentsSpec } from './payment.ts'
import type { PaymentProcessor } from './payment-processor.ts'

interface OpenedStore extends AsyncDisposable {
  readonly db: Pick<Database, 'collection'>
}

const NOW = Date.UTC(2026, 11, 4)
const DAY_MS = 86_400_000
/** More than are asked for at once. */
const ACCOUNTS = 20

export function describeCollecting(
  name: string,
  open: () => Promise<OpenedStore>,
  options: { skip?: string | false } = {},
) {
  describe(`${name}: payments`, options, () => {
    it('are asked for until they end, by two processes at once, and each status is told of once', async () => {
      await using opened = await open()
      const clock = manualClock(NOW)
      const ids = createIds({ now: () => clock.now() })
      const invoices = opened.db.collection<InvoiceRecord, 'by_month'>(invoicesSpec)
      const stored = opened.db.collection<PaymentRecord, 'due'>(paymentsSpec)
      const told: string[] = []
      const payments: Payments = {
        get: (...words) => stored.get(...words),
        find: (...words) => stored.find(...words),
        async write(change): Promise<WriteResult> {
          const result = await stored.write(change)
          if (result.kind === 'written') told.push(...change.events.map(({ key, type }) => `${key} ${type}`))
          return result
        },
      }
      const asked: string[] = []
      let status: 'pending' | 'paid' = 'pending'
      const processor: PaymentProcessor = {
        ...noProcessor,
        collects: true,
        async collect({ invoiceId }) {
          asked.push(invoiceId)
          if (asked.length % 3 === 0) throw new Error('it is away')
          return { status, reference: `in_${invoiceId}` }
        },
      }
      const tenants = Array.from({ length: ACCOUNTS }, (_, n) => `acct_${n}/live`)
      const invoiceIds: string[] = []
      for (const tenant of tenants) {
        const invoice = { tenant, number: 1, month: '2026-11', lines: [], total_micros: 49_000_000, finalized_at: NOW }
        const { events, payment, ...document } = finalInvoice(invoice, ids, true)
        invoiceIds.push(document.id)
        await invoices.write({ kind: 'insert', document, events })
        assert.ok(payment)
        await stored.write({ kind: 'insert', document: payment, events: [] })
      }
      const each = () => Promise.all(tenants.map((tenant, n) => stored.get(tenant, invoiceIds[n] as string)))

      const log = createLog({ level: 'error', write: () => {} })
      const deps = { payments, invoices, processor, clock, ids, log }
      const ending = new AbortController()
      const running = [1, 2].map(() => runCollecting(deps, ending.signal))
      const until = async (isSo: (payment: PaymentRecord | undefined) => boolean, stepMs: number) => {
        for (const deadline = performance.now() + 120_000; !(await each()).every(isSo); ) {
          assert.ok(performance.now() < deadline)
          await clock.advance(stepMs)
          await pause(5)
        }
      }
      await until(payment => payment?.reference !== undefined, 60_000)
      assert.deepEqual(told, [])
      status = 'paid'
      await until(payment => payment?.status === 'paid', DAY_MS)
      ending.abort()
      await Promise.all(running)

      const [invoiceId = ''] = invoiceIds
      const report = { accountId: 'acct_0', invoiceId, reference: `in_${invoiceId}` }
      for (const late of ['failed', 'none', 'paid'] as const) await storeReport(deps, { ...report, status: late })
      assert.equal((await stored.get('acct_0/live', invoiceId))?.status, 'paid')
      assert.deepEqual(told.sort(), invoiceIds.map(id => `${id} invoice.paid`).sort())
      assert.deepEqual(await stored.find('due', { equals: [], limit: 1 }), [], 'nothing is due any more')
    })
  })
}
