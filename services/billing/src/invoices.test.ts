/** Months close: what an account sees of its invoices, and nobody else. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import type { Invoice } from '@millhand/api/gen/millhand/billing/v1/billing_pb.ts'
import type { LoggedEvent } from '@millhand/eventlog'
import { sqliteEventLog } from '@millhand/eventlog/sqlite'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { extractText, getDocumentProxy } from 'unpdf'
import { as, type BillingUnderTest, NOVEMBER, startBilling } from './billing-service.fixture.ts'
import { endEvent } from './usage/task-event.fixture.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const [OPEN, FINAL] = [1, 2]

describe('invoices', () => {
  let folder: string
  let db: SqliteDatabase
  let clock: BillingUnderTest['clock']
  let billing: BillingUnderTest['billing']
  let ledgers: BillingUnderTest['ledgers']
  let hear: BillingUnderTest['hear']
  let stop: () => Promise<void>

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-invoices-'))
    db = openSqlite({ file: join(folder, 'billing.db') })
    const under = startBilling(db)
    ;({ clock, billing, ledgers, hear } = under)
    stop = async () => {
      await under.stop()
      await db.close()
      await rm(folder, { recursive: true })
    }
  })
  afterEach(() => stop())

  const made = (account_id: string, at: number): LoggedEvent => {
    const object = { id: account_id, compute: 'starter', developer: 'pro', workforce: 'none' }
    const [id, type] = [`evt_${account_id}`, 'account.created']
    const value = JSON.stringify({ id, type, account_id, mode: 'live', resource_version: 1, data: { object } })
    return { topic: 'millhand.identity.v1', key: account_id, id, type, time: at, value, position: id }
  }

  const changed = (account: string, at: number, version: number, developer: string): LoggedEvent => {
    const event = made(account, at)
    const value = event.value.replace('"resource_version":1', `"resource_version":${version}`)
    return { ...event, id: `evt_${version}`, value: value.replace('"pro"', `"${developer}"`) }
  }

  const task = (id: string, at: number, tenant = 'acct_a/live') =>
    endEvent({ id, tenant, at, computeMs: 1_500, cost: '0.000030' })

  /** Time goes on, until an account has so many invoices that are final. */
  async function invoiced(account: string, count: number) {
    for (const deadline = performance.now() + 120_000; ; await new Promise(resolve => setTimeout(resolve, 20))) {
      const found = await invoicesOf(account)
      if (found.length === count) return found
      assert.ok(performance.now() < deadline, `${found.length} invoices`)
      await clock.advance(60_000)
    }
  }

  const listed = async (account: string) => (await billing.listInvoices({}, as(account))).data
  const invoicesOf = async (account: string) => (await listed(account)).filter(({ status }) => status === FINAL)

  it('a month closes after its grace time, with its event, and never changes', async () => {
    await hear('billing-accounts', made('acct_a', NOVEMBER))
    await hear('billing-compute', task('task_1', NOVEMBER + DAY_MS))
    await clock.advance(29 * DAY_MS)
    assert.deepEqual(await listed('acct_a'), [], 'it goes on')
    await clock.advance(4 * DAY_MS - 120_000)
    const [open, ...others] = await listed('acct_a')
    assert.ok(open)
    assert.deepEqual(
      [open.number, open.status, open.finalizedAt, open.total?.amount, others],
      [1, OPEN, undefined, '49.000030', []],
    )
    const before = await billing.getInvoice({ id: open.id }, as('acct_a'))
    await clock.advance(120_000)
    const [final] = await invoiced('acct_a', 1)
    assert.ok(final)
    assert.deepEqual(
      [final.id, final.number, final.lines, final.total?.amount, final.amountDue?.amount],
      [open.id, 1, [], '49.000030', '49.000000'],
    )
    const invoice = await billing.getInvoice({ id: final.id }, as('acct_a'))
    assert.deepEqual(invoice.lines, before.lines)
    assert.deepEqual(
      invoice.lines
        .filter(({ amount }) => amount?.amount !== '0.000000')
        .map(line => [line.description, line.amount?.amount]),
      [
        ['compute of digits on cpu', '0.000030'],
        ['developer plan pro', '49.000000'],
      ],
    )
    const tail = sqliteEventLog(db).tail(['millhand.billing.v1'], 'beginning', AbortSignal.timeout(60_000))
    const [event, ...more] = (await tail[Symbol.asyncIterator]().next()).value ?? []
    assert.deepEqual([event.type, more, JSON.parse(event.value).data.object.id], ['invoice.finalized', [], invoice.id])

    await hear('billing-compute', task('task_1', NOVEMBER + DAY_MS), task('task_2', NOVEMBER + 2 * DAY_MS))
    assert.deepEqual(await billing.getInvoice({ id: final.id }, as('acct_a')), invoice)
    const bill = await billing.getBilling({}, as('acct_a'))
    const [late] = bill.lines.filter(({ description }) => description.startsWith('Late'))
    assert.deepEqual(
      [late?.description, late?.amount?.amount],
      ['Late: compute of digits on cpu, 2026-11-03', '0.000030'],
    )
    assert.equal(bill.invoices[0]?.id, final.id)
    const { data } = await billing.listLineEntries({ id: String(late?.id) }, as('acct_a'))
    assert.deepEqual(
      data.map(({ taskId }) => taskId),
      ['task_2'],
    )
    const billed = invoice.lines.find(({ model }) => model === 'digits')
    const itsEntries = await billing.listLineEntries({ id: String(billed?.id) }, as('acct_a'))
    assert.deepEqual(
      itsEntries.data.map(({ taskId }) => taskId),
      ['task_1'],
    )

    await clock.advance(31 * DAY_MS)
    assert.deepEqual(
      (await invoiced('acct_a', 2)).map(({ number, total }) => [number, total?.amount]),
      [
        [2, '49.000030'],
        [1, '49.000030'],
      ],
    )
  })

  it('a clock that is set a month ahead closes nothing until it is right again', async () => {
    await hear('billing-accounts', made('acct_a', NOVEMBER))
    await clock.advance(120_000)
    clock.step(40 * DAY_MS)
    await hear('billing-compute', task('task_1', NOVEMBER + DAY_MS))
    for (let passes = 0; passes < 5; passes++) {
      await clock.advance(60_000)
      await billing.getBilling({}, as('acct_a'))
    }
    assert.deepEqual(await invoicesOf('acct_a'), [])
    clock.step(-40 * DAY_MS)
    await clock.advance(34 * DAY_MS)
    assert.deepEqual(
      (await invoiced('acct_a', 1)).map(({ number, total }) => [number, total?.amount]),
      [[1, '49.000030']],
    )
  })

  it('an account of a clock that was ahead has the bills of its months, once the clock is right', async () => {
    clock.step(40 * DAY_MS)
    await hear('billing-compute', task('task_1', NOVEMBER + 40 * DAY_MS))
    clock.step(-39 * DAY_MS)
    await hear('billing-compute', task('task_2', NOVEMBER + DAY_MS))
    const { lines, total } = await billing.getBilling({}, as('acct_a'))
    assert.deepEqual(
      [lines.map(({ description }) => description), total?.amount],
      [['compute of digits on cpu'], '0.000030'],
    )
    await clock.advance(33 * DAY_MS)
    const [first] = await invoiced('acct_a', 1)
    assert.deepEqual([first?.total?.amount, first?.period?.start?.seconds], ['0.000030', BigInt(NOVEMBER / 1000)])
  })

  it('are nobody else’s, and the sandbox has none', async () => {
    await hear('billing-accounts', made('acct_a', NOVEMBER), made('acct_b', NOVEMBER))
    await hear('billing-compute', task('task_1', NOVEMBER + DAY_MS), task('task_2', NOVEMBER + DAY_MS, 'acct_a/test'))
    await clock.advance(34 * DAY_MS)
    const [[a], [b]] = [await invoiced('acct_a', 1), await invoiced('acct_b', 1)]
    assert.deepEqual([a?.number, b?.number, b?.total?.amount], [1, 1, '49.000000'])
    const line = (await billing.getInvoice({ id: String(a?.id) }, as('acct_a'))).lines[0]
    for (const stranger of [as('acct_b'), as('acct_a', 'test')]) {
      await assert.rejects(billing.getInvoice({ id: String(a?.id) }, stranger), /There is no invoice/)
      await assert.rejects(billing.listLineEntries({ id: String(line?.id) }, stranger), /There is no such line/)
    }
    assert.deepEqual((await billing.listInvoices({}, as('acct_a', 'test'))).data, [])
  })

  it('the workforce plan of new accounts is charged from the first workforce task, also where that is heard of late', async () => {
    const account = made('acct_a', NOVEMBER)
    await hear('billing-accounts', { ...account, value: account.value.replace('"none"', '"starter"') })
    const workforceOf = async () =>
      (await billing.getBilling({}, as('acct_a'))).lines
        .filter(({ family }) => family === 3)
        .map(({ description, amount }) => [description, amount?.amount])
    await clock.advance(20 * DAY_MS)
    assert.deepEqual(await workforceOf(), [])
    const ended = (id: string, at: number): LoggedEvent => {
      const event = endEvent({ id, at, computeMs: 1_000, cost: '0.000020' })
      const [type, value] = [`workforce.${event.type}`, JSON.parse(event.value)]
      Object.assign(value, {
        type,
        data: { object: { ...value.data.object, employee: 'emma', task: 'x', engine: 'rules' } },
      })
      return { ...event, type, value: JSON.stringify(value) }
    }
    await hear('billing-workforce', ended('wtask_2', NOVEMBER + 18 * DAY_MS), ended('wtask_1', NOVEMBER + 15 * DAY_MS))
    assert.deepEqual(await workforceOf(), [
      ['workforce plan starter', '4.833333'],
      ['tasks of emma', '0.000040'],
    ])
    await clock.advance(14 * DAY_MS)
    assert.equal((await invoiced('acct_a', 1))[0]?.total?.amount, '63.500040')
    assert.deepEqual(await workforceOf(), [])
    await hear('billing-workforce', ended('wtask_0', NOVEMBER))
    assert.deepEqual(await workforceOf(), [
      ['Correction: workforce plan, 2026-11', '14.500000'],
      ['Late: tasks of emma, 2026-11-01', '0.000020'],
    ])
  })

  it('are made of zero too, with a line for each plan, where an account used and owes nothing', async () => {
    const account = made('acct_a', NOVEMBER)
    await hear('billing-accounts', { ...account, value: account.value.replace('"pro"', '"free"') })
    await clock.advance(34 * DAY_MS)
    const [{ id, total, amountDue } = assert.fail()] = await invoiced('acct_a', 1)
    assert.deepEqual([total?.amount, amountDue?.amount], ['0.000000', '0.000000'])
    const { lines } = await billing.getInvoice({ id }, as('acct_a'))
    assert.deepEqual(
      lines.map(({ description, amount }) => [description, amount?.amount]),
      [
        ['compute plan starter', '0.000000'],
        ['developer plan free', '0.000000'],
        ['workforce plan none', '0.000000'],
      ],
    )
  })

  it('are rendered as PDF and CSV, for their account alone', async () => {
    await hear('billing-accounts', made('acct_a', NOVEMBER))
    await hear('billing-compute', task('task_1', NOVEMBER + DAY_MS))
    await clock.advance(34 * DAY_MS)
    const [{ id } = assert.fail()] = await invoiced('acct_a', 1)
    const pdf = await billing.renderInvoice({ id, mediaType: 'application/pdf' }, as('acct_a'))
    const { text } = await extractText(await getDocumentProxy(pdf.content), { mergePages: true })
    for (const part of [
      'Millhand',
      'Invoice 1',
      'acct_a',
      'Compute of digits on cpu',
      'Developer plan pro',
      '49.00 USD',
    ])
      assert.ok(text.includes(part), `${part} is not in ${text}`)
    const csv = await billing.renderInvoice({ id, mediaType: 'text/csv' }, as('acct_a'))
    assert.match(
      Buffer.from(csv.content).toString(),
      /compute of digits on cpu,digits,cpu,,1.5,seconds,0.000020,0.000030,USD/,
    )
    assert.deepEqual([pdf.filename, csv.filename], ['invoice-1.pdf', 'invoice-1.csv'])
    await assert.rejects(billing.renderInvoice({ id, mediaType: 'text/csv' }, as('acct_b')), /There is no invoice/)
  })

  it('a change of plans that is heard of late is corrected on the next', async () => {
    await hear('billing-accounts', made('acct_a', NOVEMBER))
    await clock.advance(34 * DAY_MS)
    await invoiced('acct_a', 1)
    await hear('billing-accounts', changed('acct_a', NOVEMBER + 15 * DAY_MS, 2, 'free'))
    const bill = await billing.getBilling({}, as('acct_a'))
    const [correction] = bill.lines.filter(({ kind }) => kind === 8)
    assert.deepEqual(
      [correction?.description, correction?.amount?.amount],
      ['Correction: developer plan, 2026-11', '-24.500000'],
    )
    await clock.advance(31 * DAY_MS)
    assert.deepEqual(
      (await invoiced('acct_a', 2)).map(({ total }) => total?.amount),
      ['-24.500000', '49.000000'],
    )
  })

  it('have what an operator credits and charges, each key once', async () => {
    await clock.advance(5 * DAY_MS)
    await hear('billing-accounts', made('acct_a', NOVEMBER))
    const post = (key: string, micros: bigint, more = {}) =>
      ledgers.postCredit({ key, micros, family: 1, reason: 'Outage', by: 'ann', ...more }, as('acct_a'))
    const credit = await post('a', 12_500_000n)
    assert.deepEqual([credit.amount?.amount, credit.month, credit.by], ['-12.500000', '2026-11', 'ann'])
    assert.deepEqual(await post('a', 12_500_000n), credit)
    await assert.rejects(post('a', 12_500_001n), /another credit/)
    await assert.rejects(
      ledgers.postCredit({ key: 'b', micros: 1n, family: 1, reason: 'r', by: 'b' }, as('acct_a', 'test')),
    )
    await Promise.all([post('b', -1_000_000n), post('b', -1_000_000n), post('c', 70_000_000n)])
    const creditLines = ({ lines }: Pick<Invoice, 'lines'>) =>
      lines.filter(({ kind }) => kind === 7).map(line => [line.description, line.amount?.amount])
    const amounts = (found: unknown[][]) => found.map(([, amount]) => String(amount)).sort()
    const expected = ['-12.500000', '-70.000000', '1.000000']
    assert.deepEqual(amounts(creditLines(await billing.getBilling({}, as('acct_a')))), expected)

    await clock.advance(28 * DAY_MS)
    const [invoice] = await invoiced('acct_a', 1)
    assert.equal(invoice?.total?.amount, '-32.500000', '49 - 12.5 - 70 + 1')
    const final = await billing.getInvoice({ id: String(invoice?.id) }, as('acct_a'))
    assert.deepEqual(amounts(creditLines(final)), expected)
    assert.deepEqual(
      [creditLines(final)[0]?.[0], creditLines(await billing.getBilling({}, as('acct_a')))],
      ['Outage', []],
    )
    assert.equal((await post('a', 12_500_000n)).month, '2026-11', 'it was done, and the invoice is final')
    assert.equal((await post('d', 1n)).month, '2026-12')
    assert.deepEqual(await billing.getInvoice({ id: final.id }, as('acct_a')), final)
  })

  it('are verified: an entry that is missing, changed or twice in the sum is found', async () => {
    await hear('billing-accounts', made('acct_a', NOVEMBER))
    await hear('billing-compute', task('task_1', NOVEMBER + DAY_MS), task('task_2', NOVEMBER + DAY_MS))
    await clock.advance(33 * DAY_MS)
    await invoiced('acct_a', 1)
    await hear('billing-compute', task('task_3', NOVEMBER + 31 * DAY_MS), task('task_4', NOVEMBER + DAY_MS))
    const verify = (month?: string) => ledgers.verifyLedger({ ...(month && { month }) }, as('acct_a'))
    const right = await verify()
    assert.deepEqual([right.entries, right.differences], [4n, []])
    await db.execute("DELETE FROM usage_entries WHERE id = 'task_1'")
    const missing = await verify()
    assert.deepEqual(
      missing.differences.map(({ month, expected, actual }) => [month, expected, actual]),
      [['2026-11', '30 micro-dollars (30) for 1500', '60 micro-dollars (60) for 3000']],
    )
    assert.deepEqual((await verify('2026-12')).differences, [])
    await db.execute(
      "UPDATE usage_entries SET body = replace(body, '\"cost_micros\":30', '\"cost_micros\":31') WHERE id = 'task_3'",
    )
    assert.deepEqual(
      (await verify('2026-12')).differences.map(({ about }) => about.split(' ')[0]),
      ['entry', 'line'],
    )
  })

  it('have the time of instances, each part once, in the month in which it began', async () => {
    await clock.advance(5 * DAY_MS)
    const part = (start: number, ms: number, mode = 'live'): LoggedEvent => {
      const object = {
        ...{
          object: 'instance_usage',
          instance_id: 'inst_1',
          replica: 0,
          generation: 1,
          gpu: 'nvidia-h200',
          run_ms: ms,
        },
        ...{ started_at: new Date(start).toISOString(), ended_at: new Date(start + ms).toISOString() },
        hourly_price: { amount: '4.680000', currency: 'USD' },
      }
      const [id, type] = [`evt_${mode}_${start}`, 'instance.metered']
      const value = JSON.stringify({ id, type, account_id: 'acct_a', mode, data: { object } })
      return { topic: 'millhand.instances.v1', key: 'inst_1', id, type, time: start, value, position: id }
    }
    const last = Date.UTC(2026, 11) - HOUR_MS
    const parts = [part(last, HOUR_MS), part(last + HOUR_MS, 1_001), part(last, HOUR_MS, 'test')]
    await hear('billing-instances', ...parts, ...parts)
    await hear('billing-instances', ...parts.toReversed())
    clock.step(15 * DAY_MS)
    const shown = async (mode: 'live' | 'test') =>
      (await billing.getBilling({}, as('acct_a', mode))).lines
        .filter(({ kind }) => kind === 3)
        .map(line => [
          line.description,
          line.quantity,
          line.unitPrice?.amount,
          line.amount?.amount,
          line.wouldHaveCost?.amount,
        ])
    const line = 'instances on nvidia-h200'
    assert.deepEqual(await shown('live'), [[line, 3600, '0.001300', '4.680000', undefined]])
    assert.deepEqual(await shown('test'), [[line, 3600, '0.001300', '0.000000', '4.680000']])
    const [{ id } = assert.fail()] = (await billing.getBilling({}, as('acct_a'))).lines.filter(({ kind }) => kind === 3)
    const { data } = await billing.listLineEntries({ id }, as('acct_a'))
    assert.deepEqual(
      data.map(({ taskId, instanceId, eventId, amount }) => [taskId, instanceId, eventId, amount?.amount]),
      [[undefined, 'inst_1', `evt_live_${last}`, '4.680000']],
    )
    clock.step(15 * DAY_MS)
    assert.deepEqual(await shown('live'), [[line, 1.001, '0.001300', '0.001302', undefined]])
    assert.deepEqual((await ledgers.verifyLedger({}, as('acct_a'))).differences, [])
  })

  it('have tasks that ran in an instance of the account on a line of their own, which costs nothing', async () => {
    const own = { id: 'task_2', at: NOVEMBER, computeMs: 2_500, cost: '0.000000', instanceId: 'inst_1' }
    await hear('billing-compute', task('task_1', NOVEMBER), endEvent(own), endEvent(own))
    const { lines, total } = await billing.getBilling({}, as('acct_a'))
    assert.deepEqual(
      lines
        .filter(({ kind }) => kind === 2)
        .map(line => [line.description, line.quantity, line.unitPrice?.amount, line.amount?.amount]),
      [
        ['compute of digits on cpu, free of charge', 2.5, '0.000000', '0.000000'],
        ['compute of digits on cpu', 1.5, '0.000020', '0.000030'],
      ],
    )
    assert.equal(total?.amount, '0.000030')
    assert.deepEqual((await ledgers.verifyLedger({}, as('acct_a'))).differences, [])
  })
})
