/** The types of `input.schema.json` and `output.schema.json`. */
import type { ChartInput } from '../scene/chart.ts'
import type { ThemeId } from '../scene/theme.ts'

export interface Input {
  readonly picture: 'social_card' | 'banner' | 'chart' | 'pattern' | 'photograph'
  /** Of a photograph. */
  readonly subject?: string
  readonly style?: string
  readonly label?: string
  readonly title?: string
  readonly subtitle?: string
  readonly footer?: string
  readonly chart?: ChartInput
  readonly keywords?: readonly string[]
  readonly base_color?: string
  readonly theme?: ThemeId
  readonly width?: number
  readonly height?: number
}

export interface Result {
  readonly picture: Input['picture']
  readonly width: number
  readonly height: number
  readonly theme: ThemeId
  readonly colours: { readonly ground: string; readonly text: string; readonly shapes: readonly string[] }
  readonly typefaces: readonly string[]
  /** Texts of which not all had room. */
  readonly cut: readonly string[]
  readonly alternative: string
  readonly files: readonly string[]
}

/** Texts as they can be drawn. */
export type Texts = Readonly<Record<'label' | 'title' | 'subtitle' | 'footer', string>>
