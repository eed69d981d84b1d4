/** What passes between the runner and the process of a kind. One run at a time. */
import type { Check, Citation } from '../answer.ts'
import type { Brief } from '../brief.ts'
import type { EngineKind, Schema } from '../catalogue.ts'

export interface LoadMessage {
  readonly kind: 'load'
  /** For people, `emma/answer_ticket`. */
  readonly id: string
  readonly folder: string
  readonly outputSchema: Schema
  /** What does it by rules, where it can. */
  readonly rules: boolean
}

interface RunMessage {
  readonly kind: 'run'
  readonly engine: EngineKind
  readonly brief: Brief
}

/** What the language model said, or why it did not. */
type ToldMessage = { readonly kind: 'told'; readonly text: string } | { readonly kind: 'untold'; readonly fault: Fault }

export type ToChild = LoadMessage | RunMessage | ToldMessage

/** A question to the language model, which the parent asks. */
export interface Question {
  readonly system: string
  readonly prompt: string
  /** How long the answer may be. */
  readonly maxTokens?: number
}

export interface Fault {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
}

export interface MadeFile {
  readonly name: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** An answer with what was measured on it. */
export interface Made {
  /** JSON text. */
  readonly result: string
  readonly text: string
  readonly citations: readonly Citation[]
  readonly warnings: readonly string[]
  readonly checks: readonly Check[]
  readonly files: readonly MadeFile[]
}

export type FromChild =
  | { readonly kind: 'loaded'; readonly memoryBytes: number }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'question'; readonly question: Question }
  | { readonly kind: 'made'; readonly made: Made; readonly computeMs: number; readonly memoryBytes: number }
  | { readonly kind: 'failed'; readonly fault: Fault; readonly computeMs: number; readonly memoryBytes: number }

/** Bounds of one answer. docs/decisions/workforce-service.md, "A run". */
export const MOST_FILES = 32
export const MOST_FILE_BYTES = 64 * 2 ** 20
/** Characters of JSON and text together. */
export const MOST_CHARACTERS = 32 * 2 ** 20
/** Characters of a question to the language model. */
export const MOST_QUESTION = 2 ** 20
