/** The types of `input.schema.json` and `output.schema.json`. */
import type { ChartInput } from '../scene/chart.ts'
import type { Viewport } from './page/style.ts'

export interface Action {
  readonly text: string
  readonly quiet?: boolean
}

interface Headed {
  readonly title?: string
  readonly text?: string
}

/** Of blocks that share a row of an app with another. */
interface Halved {
  readonly half?: boolean
}

export interface Hero {
  readonly label?: string
  readonly title: string
  readonly text?: string
  readonly actions?: readonly Action[]
  readonly image?: string
}

export interface Features extends Headed {
  readonly items: readonly { readonly title: string; readonly text?: string }[]
}

export interface Cards extends Headed {
  readonly items: readonly {
    readonly title: string
    readonly text?: string
    readonly meta?: string
    readonly image?: string
    readonly action?: string
  }[]
}

export interface Plan {
  readonly name: string
  readonly price: string
  readonly per?: string
  readonly text?: string
  readonly points?: readonly string[]
  readonly action?: string
  readonly first?: boolean
}

export interface Pricing extends Headed {
  readonly plans: readonly Plan[]
}

export const FIELD_TYPES = [
  'text',
  'email',
  'password',
  'number',
  'date',
  'textarea',
  'select',
  'radio',
  'checkbox',
  'switch',
] as const

export interface Field {
  readonly label: string
  readonly type?: (typeof FIELD_TYPES)[number]
  readonly value?: string
  readonly placeholder?: string
  readonly help?: string
  readonly options?: readonly string[]
  readonly on?: boolean
  readonly required?: boolean
}

export interface Form extends Headed, Halved {
  readonly fields: readonly Field[]
  readonly action?: string
  readonly cancel?: string
}

export interface Table extends Headed, Halved {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export interface Chart extends Headed, Halved, ChartInput {}

export interface Stats extends Headed {
  readonly items: readonly { readonly label: string; readonly value: string; readonly note?: string }[]
}

export interface List extends Headed, Halved {
  readonly items: readonly { readonly title: string; readonly text?: string; readonly meta?: string }[]
}

export interface Testimonials extends Headed {
  readonly quotes: readonly { readonly quote: string; readonly name: string; readonly role?: string }[]
}

export interface Questions extends Headed {
  readonly items: readonly { readonly question: string; readonly answer: string }[]
}

export interface Article {
  readonly label?: string
  readonly title?: string
  readonly lead?: string
  readonly parts: readonly { readonly heading?: string; readonly text?: string; readonly quote?: string }[]
}

export interface Picture {
  readonly image: string
  readonly caption?: string
}

export interface Call {
  readonly title: string
  readonly text?: string
  readonly action?: string
}

/** One of them, by its name. */
export interface Blocks {
  readonly hero: Hero
  readonly features: Features
  readonly cards: Cards
  readonly pricing: Pricing
  readonly form: Form
  readonly table: Table
  readonly chart: Chart
  readonly stats: Stats
  readonly list: List
  readonly testimonials: Testimonials
  readonly questions: Questions
  readonly article: Article
  readonly image: Picture
  readonly call_to_action: Call
}

export type BlockName = keyof Blocks

export interface Input {
  readonly title: string
  readonly layout?: 'page' | 'app'
  readonly brand?: string
  readonly navigation?: {
    readonly links?: readonly string[]
    readonly action?: string
    readonly current?: string
  }
  readonly blocks: readonly Partial<Blocks>[]
  readonly footer?: {
    readonly columns?: readonly { readonly title: string; readonly links: readonly string[] }[]
    readonly note?: string
  }
  readonly keywords?: readonly string[]
  readonly base_color?: string
  readonly theme?: 'light' | 'dark'
  readonly viewports?: readonly Viewport[]
}

export interface Result {
  readonly title: string
  readonly theme: 'light' | 'dark'
  readonly blocks: readonly BlockName[]
  readonly pictures: readonly { readonly viewport: Viewport; readonly width: number; readonly height: number }[]
  readonly colours: Readonly<Record<string, string>>
  readonly typefaces: readonly string[]
  /** Texts of fields that end in an ellipsis. */
  readonly cut: readonly string[]
  readonly files: readonly string[]
}
