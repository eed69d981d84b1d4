/**
 * The port between the service and the employees: which kinds of work there are, and what goes into a run and comes out of it.
 * The service knows no more of them. What does the work is a `Runner` of libs/child-process, which executors load.
 */

/** A JSON Schema, 2020-12. */
export type Schema = Readonly<Record<string, unknown>>

export type EngineKind = 'rules' | 'llm'

export interface PublicEmployee {
  readonly id: string
  readonly name: string
  readonly role: string
  readonly description: string
  readonly kinds: readonly PublicKind[]
}

/** What is known of a kind of work without running it. */
export interface PublicKind {
  readonly id: string
  /** The employee's id. */
  readonly employee: string
  readonly title: string
  readonly description: string
  readonly engines: readonly EngineKind[]
  readonly input_schema: Schema
  readonly output_schema: Schema
  /** For which values of which inputs it needs an image model. */
  readonly image_model?: Readonly<Record<string, readonly unknown[]>>
  /** Of which at least one must be given: `topic`, `files`, and fields of the input as `input.facts`. */
  readonly needs?: readonly string[]
  /** Those of the fields beside `input` that have an effect, in the order in which a form would have them. */
  readonly fields: readonly PublicField[]
  /** A request that works, without `task`. */
  readonly example: Readonly<Record<string, unknown>>
}

/** A field beside `input`. */
export interface PublicField {
  readonly name: string
  readonly title: string
  readonly description: string
  /** Where another engine does it, the field has no effect. */
  readonly by: readonly EngineKind[]
  /** Of `files`: what they can be. */
  readonly media_types?: readonly string[]
}

/** What a run gets, as JSON text. Its files come beside it. */
export interface KeptBrief {
  readonly topic: string
  readonly tone: string
  /** As the kind's input schema has it. */
  readonly input: Readonly<Record<string, unknown>>
  /** A BCP 47 tag; absent where none was asked for. */
  readonly language?: string
  readonly audience?: string
  readonly constraints: Constraints
  /** Everything that is left to chance comes from it. */
  readonly seed: number
}

export interface Constraints {
  readonly min_words?: number
  readonly max_words?: number
  readonly must_include?: readonly string[]
  readonly avoid?: readonly string[]
}

/** What a run gives back, as JSON text. */
export interface Output {
  readonly engine: {
    readonly kind: EngineKind | 'hybrid' | 'mock'
    readonly name: string
    readonly model?: string
  }
  /** As the kind's output schema has it. */
  readonly result: unknown
  readonly text: string
  /** `file` is the id of the account's file. */
  readonly artifacts: readonly { readonly name: string; readonly media_type: string; readonly file: string }[]
  readonly citations: readonly Citation[]
  readonly checks: readonly Check[]
  readonly warnings: readonly string[]
}

/** Where in the brief something stands. */
export interface Citation {
  /** The source as the brief names it. */
  readonly source: string
  /** Word for word. */
  readonly quote: string
}

/** What was measured on an answer. */
export interface Check {
  readonly id: string
  readonly pass: boolean
  readonly value: number | string
  /** What was wanted, in words or as the least or the most. */
  readonly target: number | string
}
