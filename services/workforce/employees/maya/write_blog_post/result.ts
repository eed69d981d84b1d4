/** The types of `input.schema.json` and `output.schema.json`. */

export interface Input {
  readonly facts?: readonly string[]
  readonly outline?: readonly string[]
  readonly keywords?: readonly string[]
  readonly call_to_action?: string
}

export interface Result {
  readonly title: string
  readonly slug: string
  readonly summary: string
  readonly sections: readonly { readonly heading: string | null; readonly text: string }[]
  readonly tags: readonly string[]
}
