/** The types of `input.schema.json` and `output.schema.json`. */
import type { RuleId, Severity } from './findings/rules.ts'
import type { Place } from './page/place.ts'

export interface Input {
  readonly html?: string
  readonly text?: string
  readonly url?: string
  readonly keywords?: readonly string[]
}

export interface Finding {
  readonly rank: number
  readonly rule: RuleId
  readonly severity: Severity
  readonly message: string
  readonly why: string
  readonly place: Place
  readonly before: string
  readonly after: string
  readonly complete: boolean
}

export interface Readability {
  readonly method: 'flesch' | 'amstad' | 'lix' | 'none'
  readonly score: number | null
  readonly meaning: string
  readonly words: number
  readonly sentences: number
  readonly words_per_sentence: number | null
}

export interface Coverage {
  readonly keyword: string
  readonly count: number
  readonly per_100_words: number
  readonly in_title: boolean
  readonly in_description: boolean
  readonly in_main_heading: boolean
  readonly in_headings: boolean
  readonly in_beginning: boolean
  readonly in_alternatives: boolean
}

interface StructuredItem {
  readonly type: string
  readonly line: number
  readonly missing: readonly string[]
}

/** What could stand on the page instead. */
export interface Wording {
  readonly title: string
  readonly description: string
  readonly opening: string
}

export interface Result {
  readonly source: string
  readonly kind: 'html' | 'text'
  readonly language: string
  readonly summary: { readonly high: number; readonly medium: number; readonly low: number }
  readonly findings: readonly Finding[]
  readonly page: {
    readonly title: string | null
    readonly description: string | null
    readonly canonical: string | null
    readonly robots: string | null
    readonly viewport: string | null
    readonly declared_language: string | null
    readonly hreflang: readonly string[]
  }
  readonly headings: readonly { readonly level: number; readonly text: string; readonly line: number }[]
  readonly links: { readonly internal: number; readonly external: number; readonly other: number }
  readonly images: { readonly count: number; readonly without_alternative: number }
  readonly readability: Readability
  readonly keywords: readonly Coverage[]
  readonly frequent_terms: readonly { readonly term: string; readonly count: number }[]
  readonly structured_data: readonly StructuredItem[]
  /** By a language model. */
  readonly wording?: Wording
  readonly proposals: { readonly title: string | null; readonly description: string | null }
}
