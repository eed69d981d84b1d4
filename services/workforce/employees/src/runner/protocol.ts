/** What passes between the runner and the process of a kind. One run at a time. */
import type { EngineKind, Schema } from '@millhand/workforce/employee'
import type { Check, Citation } from '../answer.ts'
import type { Brief } from '../brief.ts'
import type { Isolated } from '../kind.ts'

export interface LoadMessage {
  readonly kind: 'load'
  /** For people, `emma/answer_ticket`. */
  readonly id: string
  readonly folder: string
  readonly outputSchema: Schema
  /** What a language model says, where that is not the result. */
  readonly wordsSchema?: Schema | undefined
  /** Whether rules do it. */
  readonly rules: boolean
  /** Whether what a model makes of it is a picture. */
  readonly depicts: boolean
  /** Whether it may ask for vectors of texts. */
  readonly embeds: boolean
  /** Whether it may have something done in a process of its own. */
  readonly isolates: boolean
}

interface RunMessage {
  readonly kind: 'run'
  readonly engine: EngineKind
  readonly brief: Brief
}

/** The kind's own example, done for nobody: what it loads and compiles, the first brief does not wait for. */
interface WarmMessage {
  readonly kind: 'warm'
  readonly brief: Brief
}

/** What the language model said, or why it did not. */
type ToldMessage = { readonly kind: 'told'; readonly text: string } | { readonly kind: 'untold'; readonly fault: Fault }

/** What the image model made, as it came. */
interface DepictedMessage {
  readonly kind: 'depicted'
  readonly bytes: Uint8Array
}

/** What the isolated process said, as JSON, or why it ended without a word. */
export type IsolatedMessage =
  | { readonly kind: 'isolated'; readonly text: string }
  | { readonly kind: 'isolated'; readonly ended: NonNullable<Isolated['ended']> }
  | { readonly kind: 'unisolated'; readonly fault: Fault }

/** Answers `embed`. */
export type Embedded =
  | { readonly kind: 'embedded'; readonly vectors: readonly Float32Array[] }
  | { readonly kind: 'unembedded'; readonly fault: Fault }

export type ToChild =
  | LoadMessage
  | WarmMessage
  | RunMessage
  | ToldMessage
  | DepictedMessage
  | Embedded
  | IsolatedMessage

export interface Fault {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
}

/** What is told of an answer; beside it go its result, as JSON, its text, and what its files hold. */
interface MadeHead {
  readonly citations: readonly Citation[]
  readonly warnings: readonly string[]
  readonly checks: readonly Check[]
  readonly files: readonly Omit<MadeFile, 'bytes'>[]
}

export interface MadeFile {
  readonly name: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** How long it took and what it used, its parent measures. */
export type FromChild =
  /** Once it is loaded, and once it is warm. */
  | { readonly kind: 'loaded' }
  | { readonly kind: 'refused'; readonly message: string }
  /** To the language model, which the parent asks. Beside it goes what is asked. */
  | { readonly kind: 'question' }
  /** To the image model, the same way. In pixels. */
  | { readonly kind: 'depict'; readonly width: number; readonly height: number }
  /** To the embedding model, which the parent asks. Beside it go the texts. */
  | { readonly kind: 'embed' }
  /** To a process of its own. Beside it goes what it is to do, JSON. */
  | { readonly kind: 'isolate' }
  | { readonly kind: 'made'; readonly made: MadeHead }
  | { readonly kind: 'failed'; readonly fault: Fault }

/** Bounds of one answer. docs/decisions/workforce-service.md, "A run". */
export const MOST_FILES = 32
export const MOST_FILE_BYTES = 64 * 2 ** 20
/** Bytes of UTF-8 of a result, and of a text. The parent parses the one: it may then be twenty times as large. */
export const MOST_TEXT_BYTES = 8 * 2 ** 20
/** Characters of a question to the language model. */
export const MOST_QUESTION = 2 ** 20
/** Pixels of each side of a picture that an image model is asked for. */
export const MOST_SIDE = 8_192
/** Characters of what a picture is to show. */
export const MOST_DEPICTED = 4_000
/** What a run may ask: once, and twice again for an answer in the right form. */
export const MOST_QUESTIONS = 3
/** Bytes of what an isolated process is to do, and of what it says. */
export const MOST_ISOLATED_BYTES = 16 * 2 ** 20
export const MOST_ISOLATED_ANSWER_BYTES = 8 * 2 ** 20
/** What a run may have done so. */
export const MOST_ISOLATED = 4
/** Texts of a question to the embedding model, and characters of one. */
export const MOST_EMBEDDED = 512
export const MOST_EMBEDDED_CHARACTERS = 8_192
/** What a run may ask it. */
export const MOST_EMBEDS = 16
