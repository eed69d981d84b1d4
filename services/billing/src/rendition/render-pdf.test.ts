import assert from 'node:assert/strict'
import { it } from 'node:test'
import { extractText, getDocumentProxy } from 'unpdf'
import { fewLines, invoiceWith } from './invoice.fixture.ts'
import { invoicePdf } from './invoice-pdf.ts'
import { createPdfRenderer } from './render-pdf.ts'

const seller = { name: 'Example Compute GmbH', address: ['Example Street 1', '10115 Berlin'] }
const invoice = invoiceWith(fewLines)
const going = new AbortController().signal

it('a PDF from a thread is the same as from here, also where several are asked for at once', async () => {
  const render = createPdfRenderer()
  const order = { invoice, seller }
  const all = await Promise.all([render(order, going), render(order, going)])
  const expected = await invoicePdf(invoice, seller)
  for (const pdf of all) assert.deepEqual(Buffer.from(pdf), Buffer.from(expected))
})

it('the event loop goes on while a PDF is made', async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const lines = Array.from({ length: 1_000 }, () => fewLines[0] as (typeof fewLines)[number])
  const pdf = await createPdfRenderer()({ invoice: invoiceWith(lines), seller }, going)
  clearInterval(timer)
  assert.equal(Buffer.from(pdf.subarray(0, 5)).toString(), '%PDF-')
  assert.ok(turns > 10, `${turns} turns`)
})

it('who no longer waits ends its thread, and the next is served', async () => {
  const render = createPdfRenderer()
  const leaving = new AbortController()
  const first = render({ invoice, seller }, leaving.signal)
  leaving.abort(new Error('gone'))
  await assert.rejects(first, /gone/)
  await assert.rejects(render({ invoice, seller }, leaving.signal), /gone/)
  assert.ok((await render({ invoice, seller }, going)).length > 1_000)
})

it('characters that the font lacks are boxes, and hide nothing else', async () => {
  const credit = { family: 'compute', kind: 'credit', of_time: 'credit_1', quantity: 1 } as const
  const lines = [{ ...credit, micros: -1_000_000, would_micros: -1_000_000, reason: 'Outage 停電 ✓ 😀 of 3 November' }]
  const pdf = await getDocumentProxy(await invoicePdf(invoiceWith(lines), seller))
  const text = (await extractText(pdf, { mergePages: true })).text
  for (const part of ['Outage', 'of 3 November', '-1.000000']) assert.ok(text.includes(part), text)
})
