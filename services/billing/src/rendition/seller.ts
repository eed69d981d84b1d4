/** Who sends the invoices: the operator's business, as settings name it. */
export interface Seller {
  readonly name: string
  /** Its lines. */
  readonly address: readonly string[]
  /** With its kind, for example `VAT DE123456789`. */
  readonly taxId?: string | undefined
}
