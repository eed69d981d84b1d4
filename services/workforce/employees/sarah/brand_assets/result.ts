/** The types of `input.schema.json` and `output.schema.json`. */
import type { Pair } from '../colour/palette.ts'

export interface Input {
  readonly name: string
  readonly keywords?: readonly string[]
  readonly base_color?: string
}

export interface TypeStep {
  readonly name: string
  readonly family: string
  readonly size_px: number
  readonly line_height: number
  readonly weight: number
  readonly letter_spacing_em: number
}

export interface Result {
  readonly brand: string
  readonly base: { readonly hex: string; readonly oklch: string; readonly why: string }
  readonly ramps: readonly {
    readonly name: string
    readonly steps: readonly { readonly step: number; readonly hex: string }[]
  }[]
  readonly pairs: readonly Pair[]
  readonly type: {
    readonly heading: string
    readonly body: string
    readonly ratio: number
    readonly licence: string
    readonly steps: readonly TypeStep[]
  }
  readonly logo: { readonly mark: string; readonly why: string }
  readonly files: readonly { readonly name: string; readonly purpose: string }[]
}
