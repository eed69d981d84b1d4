/** The types of `input.schema.json` and `output.schema.json`. */
import type { FamilyId } from '../type/families.ts'

export interface Input {
  readonly name: string
  readonly keywords?: readonly string[]
  readonly base_color?: string
}

/** Text of one colour on a ground of another. */
export interface Pair {
  readonly use: string
  readonly theme: 'light' | 'dark'
  readonly text: string
  readonly background: string
  readonly contrast: number
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

/** What the words and the seed chose. */
export interface Direction {
  readonly chroma: number
  readonly hue: number
  readonly exact: string | undefined
  readonly heading: FamilyId
  readonly body: FamilyId
  readonly ratio: number
  readonly mark: 'petals' | 'tiles' | 'bars' | 'monogram'
  readonly why: string
  readonly whyMark: string
}
