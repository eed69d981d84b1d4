/** The lines of an invoice as rows of text, for spreadsheets and paper. */
import { type Family, families, signedDecimalOf } from '@millhand/api'
import { BillingUnit } from '@millhand/api/gen/millhand/billing/v1/billing_pb.ts'
import { type LineKind, totalOf } from '../ledger/line.ts'
import type { AnyInvoice } from '../ledger/open-invoices.ts'
import { lineMessage } from '../rpc/line-message.ts'

export interface InvoiceRow {
  readonly family: Family
  readonly kind: LineKind
  readonly description: string
  readonly model: string
  readonly gpuType: string
  readonly employee: string
  readonly quantity: string
  /** In the plural, as a column of quantities has it. */
  readonly unit: string
  /** Empty where not all of it has one price. */
  readonly unitPrice: string
  readonly amount: string
}

export interface FamilyRows {
  readonly family: Family
  readonly rows: readonly InvoiceRow[]
  readonly subtotal: string
}

/** By family; those without lines are left out. */
export const rowsByFamily = (invoice: AnyInvoice): FamilyRows[] =>
  families.flatMap(family => {
    const lines = invoice.lines.filter(line => line.family === family)
    if (lines.length === 0) return []
    const rows = lines.map((line): InvoiceRow => {
      const { description, quantity, unit, unitPrice, amount } = lineMessage(invoice.tenant, invoice.month, line)
      return {
        ...{ family, kind: line.kind, description },
        ...{ model: line.model ?? '', gpuType: line.gpu_type ?? '', employee: line.employee ?? '' },
        ...(line.quantity === 0 && line.kind === 'adjustment'
          ? { quantity: '', unit: '' }
          : { quantity: unit === BillingUnit.ONCE ? '' : String(quantity), unit: units[unit] ?? '' }),
        unitPrice: unitPrice?.amount ?? '',
        amount: amount?.amount ?? '',
      }
    })
    return [{ family, rows, subtotal: signedDecimalOf(totalOf(lines)) }]
  })

const units: Readonly<Record<BillingUnit, string>> = {
  [BillingUnit.UNSPECIFIED]: '',
  [BillingUnit.SECOND]: 'seconds',
  [BillingUnit.TOKEN]: 'tokens',
  [BillingUnit.MONTH]: 'months',
  [BillingUnit.ONCE]: '',
}
