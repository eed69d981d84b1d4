/** The fields that a request of any kind can have beside `input`, as a form shows those that have an effect. */
import type { PublicField } from '@millhand/workforce/employee'

export const commonFields = {
  topic: { title: 'Topic', description: 'What it is about.' },
  tone: { title: 'Tone', description: 'How it is to sound.' },
  language: { title: 'Language', description: 'The language it is to be in, a BCP 47 tag.' },
  audience: { title: 'Audience', description: 'Who it is for.' },
  constraints: {
    title: 'Constraints',
    description:
      'How many words, what must be said and what must not: `min_words`, `max_words`, `must_include`, `avoid`.',
  },
  files: { title: 'Files', description: 'Files that belong to the input.' },
  seed: { title: 'Seed', description: 'What is left to chance follows from it.' },
} as const

export type CommonField = keyof typeof commonFields

/** What `kind.json` says in `heeds`: those of the fields that have an effect. */
export type Heeds = Readonly<Partial<Record<CommonField, Heeded>>>

/** What a kind does with one of them. */
interface Heeded {
  /** Where another engine does it, the field has no effect. */
  readonly by: readonly ('rules' | 'llm')[]
  /** Where it says more than the description that holds for all kinds. */
  readonly description?: string
  /** Of `files`: what they can be. */
  readonly media_types?: readonly string[]
}

/** In the order in which a form would have them. */
export const fieldsOf = (heeds: Heeds): PublicField[] =>
  (Object.keys(commonFields) as CommonField[]).flatMap(name => {
    const heeded = heeds[name]
    return heeded === undefined ? [] : { name, ...commonFields[name], ...heeded }
  })
