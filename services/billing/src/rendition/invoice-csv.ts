/** An invoice as CSV (RFC 4180): a row for each line, so the column `amount` adds up to the total. */
import { spanOf } from '../ledger/month.ts'
import type { AnyInvoice } from '../ledger/open-invoices.ts'
import { rowsByFamily } from './invoice-row.ts'

const columns = [
  'invoice_id',
  'invoice_number',
  'period_start',
  'period_end',
  'family',
  'kind',
  'description',
  'model',
  'gpu_type',
  'employee',
  'quantity',
  'unit',
  'unit_price',
  'amount',
  'currency',
] as const

export async function invoiceCsv(invoice: AnyInvoice): Promise<Uint8Array> {
  const { stringify } = await import('csv-stringify/sync')
  const { start, end } = spanOf(invoice.month)
  const about = [invoice.id, invoice.number, new Date(start).toISOString(), new Date(end).toISOString()]
  const records = rowsByFamily(invoice).flatMap(({ rows }) =>
    rows.map(({ family, kind, description, model, gpuType, employee, quantity, unit, unitPrice, amount }) => [
      ...about,
      ...[family, kind, ...[description, model, gpuType, employee].map(withoutFormula)],
      ...[quantity, unit, unitPrice, amount, 'USD'],
    ]),
  )
  return Buffer.from(stringify(records, { header: true, columns: [...columns], record_delimiter: 'windows' }))
}

/** A spreadsheet would take such a text for a formula (OWASP, "CSV injection"); numbers keep their sign. */
const withoutFormula = (text: string) => (/^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text)
