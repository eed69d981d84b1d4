/** An invoice as PDF, laid out by pdfmake with the Roboto that comes with it: docs/decisions/billing.md. */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { dueMicros, type Family, signedDecimalOf } from '@millhand/api'
import pdfmake from 'pdfmake'
import { dayOf, spanOf } from '../ledger/month.ts'
import type { AnyInvoice } from '../ledger/open-invoices.ts'
import { type FamilyRows, type InvoiceRow, rowsByFamily } from './invoice-row.ts'
import type { Seller } from './seller.ts'

const FONTS = join(dirname(createRequire(import.meta.url).resolve('pdfmake/package.json')), 'fonts/Roboto')
const font = (style: string) => join(FONTS, `Roboto-${style}.ttf`)

pdfmake.setFonts({
  Roboto: {
    normal: font('Regular'),
    bold: font('Medium'),
    italics: font('Italic'),
    bolditalics: font('MediumItalic'),
  },
})
// What is on an invoice is text: nothing of it is fetched or opened.
pdfmake.setUrlAccessPolicy(() => false)
pdfmake.setLocalAccessPolicy(path => path.startsWith(FONTS))

/** A part of a page, as pdfmake has it. */
type Content = Readonly<Record<string, unknown>>

/** The same bytes for the same invoice and seller. */
export async function invoicePdf(invoice: AnyInvoice, seller: Seller): Promise<Uint8Array> {
  return new Uint8Array(await pdfmake.createPdf(definitionOf(invoice, seller)).getBuffer())
}

function definitionOf(invoice: AnyInvoice, seller: Seller): Content {
  const { number, total_micros, finalized_at = spanOf(invoice.month).end, tenant } = invoice
  const [account = ''] = tenant.split('/')
  const title = `Invoice ${number}`
  const date = new Date(finalized_at)
  return {
    pageSize: 'A4',
    pageMargins: [50, 50, 50, 56],
    info: {
      title: `${title} of ${account}`,
      author: seller.name,
      creator: 'Millhand',
      creationDate: date,
      modDate: date,
    },
    defaultStyle: { font: 'Roboto', fontSize: 9, lineHeight: 1.2, color: '#1d2733' },
    styles: {
      title: { fontSize: 22, bold: true, alignment: 'right' },
      seller: { fontSize: 13, bold: true },
      label: { color: '#5a6675', fontSize: 8 },
      family: { fontSize: 12, bold: true, margin: [0, 16, 0, 4] },
      head: { bold: true, fontSize: 8, color: '#5a6675' },
      due: { fontSize: 12, bold: true },
    },
    footer: (page: number, pages: number) => ({
      columns: [{ text: `${title} · ${account}` }, { text: `Page ${page} of ${pages}`, alignment: 'right' }],
      margin: [50, 20, 50, 0],
      fontSize: 8,
      color: '#5a6675',
    }),
    content: [
      headOf(invoice, seller, account, title),
      ...rowsByFamily(invoice).flatMap(tableOf),
      totals(signedDecimalOf(total_micros), signedDecimalOf(dueMicros(total_micros)).replace(/0{4}$/, '')),
    ],
  }
}

function headOf(invoice: AnyInvoice, seller: Seller, account: string, title: string): Content {
  const { start, end } = spanOf(invoice.month)
  const facts = [
    ['Invoice number', String(invoice.number)],
    ['Invoice id', invoice.id],
    ['Invoice date', invoice.finalized_at === undefined ? 'open: it may still change' : dayOf(invoice.finalized_at)],
    ['Billing period', `${dayOf(start)} to ${dayOf(end - 1)} (UTC)`],
    ['Currency', 'US dollars (USD)'],
  ]
  return {
    stack: [
      {
        columns: [
          {
            stack: [
              { text: broken(seller.name), style: 'seller' },
              ...seller.address.map(line => ({ text: broken(line) })),
              ...(seller.taxId === undefined ? [] : [{ text: broken(seller.taxId) }]),
            ],
          },
          { text: title, style: 'title' },
        ],
      },
      {
        columns: [
          { stack: [{ text: 'Billed to', style: 'label' }, { text: `Account ${account}` }] },
          {
            width: 'auto',
            table: { body: facts.map(([label, value]) => [{ text: label, style: 'label' }, { text: value }]) },
            layout: 'noBorders',
          },
        ],
        margin: [0, 24, 0, 0],
      },
    ],
  }
}

const names: Readonly<Record<Family, string>> = { compute: 'Compute', developer: 'Developer', workforce: 'Workforce' }

/** Its head is on every page that it covers. */
function tableOf({ family, rows, subtotal }: FamilyRows): Content[] {
  const right = (text: string, more: Content = {}): Content => ({ text, alignment: 'right', ...more })
  const head = { style: 'head' }
  const sum = { bold: true }
  return [
    { text: names[family], style: 'family', headlineLevel: 1 },
    {
      table: {
        headerRows: 1,
        keepWithHeaderRows: 1,
        dontBreakRows: true,
        widths: ['*', 70, 48, 74, 80],
        body: [
          [
            { text: 'Description', ...head },
            right('Quantity', head),
            { text: 'Unit', ...head },
            right('Unit price', head),
            right('Amount', head),
          ],
          ...rows.map(({ description, quantity, unit, unitPrice, amount }: InvoiceRow) => [
            { text: broken(description.charAt(0).toUpperCase() + description.slice(1)) },
            right(grouped(quantity)),
            { text: unit },
            right(grouped(unitPrice)),
            right(grouped(amount)),
          ]),
          [{ text: `Subtotal ${names[family]}`, colSpan: 4, ...sum }, '', '', '', right(grouped(subtotal), sum)],
        ],
      },
      layout: 'lightHorizontalLines',
    },
  ]
}

const totals = (total: string, due: string): Content => ({
  unbreakable: true,
  margin: [0, 20, 0, 0],
  columns: [
    { text: '' },
    {
      width: 250,
      table: {
        widths: ['*', 'auto'],
        body: [
          [{ text: 'Total' }, { text: `${grouped(total)} USD`, alignment: 'right' }],
          [
            { text: 'Amount due', style: 'due' },
            { text: `${grouped(due)} USD`, style: 'due', alignment: 'right' },
          ],
        ],
      },
      layout: 'lightHorizontalLines',
    },
  ],
})

/** `1,234,567.890000`. */
const grouped = (decimal: string) => decimal.replace(/\d+/, whole => whole.replace(/\B(?=(\d{3})+$)/g, ','))

/** A space without width where a word is longer than the column: one of the widest letters would push the amounts off the page. */
const broken = (text: string) => text.replaceAll(/\S{20}(?=\S)/gu, word => `${word}\u200B`)
