/** The types of `input.schema.json` and `output.schema.json`. */

export interface Input {
  readonly message?: string
  readonly customer?: string
  readonly points?: readonly string[]
  readonly knowledge?: readonly { readonly title: string; readonly text: string }[]
  readonly internal_notes?: string
  readonly signature?: string
  readonly public_contacts?: readonly string[]
}

export interface Result {
  readonly subject: string
  readonly greeting: string
  readonly paragraphs: readonly string[]
  readonly closing: string
  readonly unanswered: readonly string[]
}
