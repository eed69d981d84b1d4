/** Invoices as files that a finance department gets. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { extractText, getDocumentProxy } from 'unpdf'
import type { LineSum } from '../ledger/line.ts'
import { fewLines, invoiceWith } from './invoice.fixture.ts'
import { invoiceCsv } from './invoice-csv.ts'
import { invoicePdf } from './invoice-pdf.ts'
import type { Seller } from './seller.ts'

const seller: Seller = { name: 'Example Compute GmbH', address: ['Example Street 1', '10115 Berlin'], taxId: 'VAT DE1' }
const compute = (model: string): LineSum => ({
  ...{ family: 'compute', kind: 'compute', model, gpu_type: 'cpu', unit_nanos: 20_000 },
  ...{ quantity: 1_000, micros: 20, would_micros: 20 },
})
const csvOf = async (lines: readonly LineSum[]) => Buffer.from(await invoiceCsv(invoiceWith(lines))).toString()
async function pagesOf(lines: readonly LineSum[], by = seller): Promise<string[]> {
  const pdf = await getDocumentProxy(await invoicePdf(invoiceWith(lines), by))
  return (await extractText(pdf, { mergePages: false })).text
}

describe('an invoice as CSV', () => {
  it('has a row for each line, and its amounts add up to the total', async () => {
    const [head = '', ...rows] = (await csvOf(fewLines)).trimEnd().split('\r\n')
    assert.match(head, /^invoice_id,invoice_number,period_start,period_end,family,kind,description,/)
    assert.equal(rows.length, fewLines.length)
    assert.equal(
      rows[0],
      'inv_01kbgqe0k1f4r8vd52m7c3w9xa,7,2026-11-01T00:00:00.000Z,2026-12-01T00:00:00.000Z,compute,compute,' +
        'compute of digits on cpu,digits,cpu,,1234567.89,seconds,0.000020,24.691358,USD',
    )
    const amounts = rows.map(row => Math.round(Number(row.split(',').at(-2)) * 1e6))
    assert.equal(
      amounts.reduce((sum, amount) => sum + amount, 0),
      invoiceWith(fewLines).total_micros,
    )
    assert.ok(rows.some(row => row.includes('-24.500000')))
  })

  it('has no cell that a spreadsheet takes for a formula, and quotes what would break a row', async () => {
    const models = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', 'a"b,c\nd', '＝1']
    const csv = await csvOf(models.map(compute))
    for (const model of models.slice(0, 4)) assert.ok(csv.includes(`,'${model},`), model)
    assert.ok(!/,[=+@\t＝]/.test(csv))
    assert.ok(csv.includes('"a""b,c\nd"'))
  })

  it('has a head alone where there are no lines', async () => {
    assert.equal((await csvOf([])).trimEnd().split('\r\n').length, 1)
  })
})

describe('an invoice as PDF', () => {
  it('says who bills whom, for what, and what is due', async () => {
    const [page = '', ...others] = await pagesOf(fewLines)
    assert.deepEqual(others, [])
    for (const text of [
      ...['Example Compute GmbH', '10115 Berlin', 'VAT DE1', 'Invoice 7', 'acct_01jd7x8f2wfyqs3m6k9v0t4b5c'],
      ...['2026-11-01 to 2026-11-30', '2026-12-04', 'Compute of digits on cpu', '1,234,567.89', '24.691358'],
      ...['Subtotal Compute', '119.731358', 'Correction: developer plan, 2026-10', '-24.500000'],
      ...['Late: tasks of emma, 2026-10-31', 'Subtotal Workforce', '181.102656', '181.10', 'Page 1 of 1'],
    ])
      assert.ok(page.includes(text), `${text} is not in ${page}`)
  })

  it('of a thousand lines has pages, each with the head of the table', async () => {
    const pages = await pagesOf(Array.from({ length: 1_000 }, (_, n) => compute(`model-${n}`)))
    assert.ok(pages.length > 10)
    for (const [n, page] of pages.slice(0, -1).entries()) {
      assert.ok(page.includes('Unit price'), page)
      assert.ok(page.includes(`Page ${n + 1} of ${pages.length}`))
    }
    assert.ok(pages.join(' ').includes('model-999'))
  })

  it('says where it is not final', async () => {
    const { finalized_at: _, ...open } = invoiceWith(fewLines)
    const pdf = await getDocumentProxy(await invoicePdf(open, seller))
    assert.ok((await extractText(pdf, { mergePages: true })).text.includes('open: it may still change'))
  })

  it('wraps what is long, and is the same at every call', async () => {
    const lines = ['m'.repeat(200), 'W'.repeat(99), 'words '.repeat(60)].map(compute)
    const invoice = invoiceWith(lines)
    assert.deepEqual(await invoicePdf(invoice, seller), await invoicePdf(invoice, seller))
    const pdf = await getDocumentProxy(await invoicePdf(invoice, { name: 'W'.repeat(60), address: [] }))
    const { items } = await (await pdf.getPage(1)).getTextContent()
    const ends = items.flatMap(item => ('str' in item ? [item.transform[4] + item.width] : []))
    assert.ok(Math.max(...ends) <= 546, `the text ends at ${Math.max(...ends)} of 595 points`)
  })
})
