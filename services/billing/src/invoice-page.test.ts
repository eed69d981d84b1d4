/** The invoice that docs/billing.md shows is the one that billing makes of its example. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { jsonWriter } from '@millhand/api'
import { InvoiceSchema } from '@millhand/api/gen/millhand/billing/v1/billing_pb.ts'
import { openSqlite } from '@millhand/store/sqlite'
import { as, NOVEMBER, startBilling } from './billing-service.fixture.ts'
import { endEvent } from './usage/task-event.fixture.ts'

const page = readFileSync(new URL('../../../docs/billing.md', import.meta.url), 'utf8')
const DAY_MS = 86_400_000

it('the invoice of the example', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-page-'))
  const db = openSqlite({ file: join(folder, 'billing.db') })
  const { clock, billing, ledgers, hear, stop } = startBilling(db)
  try {
    await clock.advance(12 * DAY_MS)
    const data = { object: { id: 'acct_a', compute: 'starter', developer: 'pro', workforce: 'starter' } }
    const [id, type] = ['evt_a', 'account.created']
    const account = { id, type, account_id: 'acct_a', mode: 'live', resource_version: 1, data }
    const value = JSON.stringify(account)
    await hear('billing-accounts', {
      ...{ topic: 'millhand.identity.v1', key: 'acct_a', id, type, time: NOVEMBER, value, position: id },
    })
    const at = NOVEMBER + 11 * DAY_MS
    await hear('billing-compute', endEvent({ id: 'task_a', at, computeMs: 165_600, cost: '0.003312' }))
    await ledgers.postCredit(
      { key: 'outage', micros: 5_000_000n, family: 1, reason: 'Outage of 12 November', by: 'ann' },
      as('acct_a'),
    )
    await clock.advance(19 * DAY_MS)
    const [open] = (await billing.listInvoices({}, as('acct_a'))).data
    const made = JSON.parse(jsonWriter(InvoiceSchema)(await billing.getInvoice({ id: String(open?.id) }, as('acct_a'))))
    const shown = JSON.parse(/open invoice:\n\n```json\n(.*?)```/s.exec(page)?.[1] ?? '{}')
    assert.deepEqual(withoutIds(shown), withoutIds(made))
  } finally {
    await stop()
    await db.close()
    await rm(folder, { recursive: true })
  }
})

/** Ids are those of an account that the page does not show. */
const withoutIds = (invoice: { lines?: object[] }) => ({
  ...invoice,
  id: 'inv',
  lines: invoice.lines?.map(line => ({ ...line, id: 'line' })),
})
