/** The types of `input.schema.json` and `output.schema.json`. */
import type { Masked } from '../personal/mask.ts'
import type { Category, OwnCategory } from './triage/category.ts'
import type { Priority } from './triage/priority.ts'

export interface Input {
  readonly ticket: string
  readonly subject?: string
  readonly knowledge?: readonly { readonly title: string; readonly source?: string; readonly text: string }[]
  readonly categories?: readonly OwnCategory[]
  readonly public_contacts?: readonly string[]
}

export interface Reason {
  readonly code:
    | 'no_knowledge'
    | 'not_covered'
    | 'unclear'
    | 'language'
    | 'person_wanted'
    | 'no_question'
    | 'personal_data'
  readonly message: string
}

export interface Result {
  readonly status: 'answered' | 'escalated'
  readonly answer: string | null
  readonly reason: Reason | null
  /** Where a language model phrased the answer: its sentences, and the quote that each was made from. */
  readonly phrased?: readonly { readonly text: string; readonly quote: string }[]
  /** Meaning takes an embedding model of the platform's. */
  readonly found_by: 'words' | 'words_and_meaning'
  readonly passages: readonly {
    readonly source: string
    readonly heading: string
    readonly score: number
    readonly coverage: number
  }[]
  readonly priority: Priority
  readonly category: Category
  readonly language: string
  readonly ticket: string
  readonly personal_data: readonly Masked[]
}
