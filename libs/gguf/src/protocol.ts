/** What passes between a process of ours and the process of a local language model. Several questions at a time, each by its number. */
import type { ChildMessage } from '@millhand/child-process'
import type { Message, Schema } from '@millhand/model'

export interface Load {
  readonly file: string
  readonly threads: number
  readonly contexts: readonly Context[]
}

/** Memory for questions and their answers, apart from that of other contexts of the process. */
export interface Context {
  /** How many questions it answers at once. */
  readonly sequences: number
  /** The most tokens that a question and its answer may have together, where the model was made for as many. */
  readonly contextTokens: number
  /**
   * Whether it keeps what it has read for a next question that begins the same. Else nothing of a question is left once
   * it is answered.
   */
  readonly keepsPrefix: boolean
}

export interface Question {
  readonly messages: readonly Message[]
  /** What the answer has to be: JSON by it, as far as a grammar can say so. */
  readonly schema: Schema | undefined
  readonly maxOutputTokens: number
  readonly seed: number
  readonly temperature: number
  readonly topP: number
  /** Texts before which the answer ends. */
  readonly stop: readonly string[]
}

export type ToChild =
  | { readonly kind: 'load'; readonly load: Load }
  /** `context`: the index of one that was loaded. `streams`: whether pieces of the answer are wanted before its end. */
  | {
      readonly kind: 'ask'
      readonly id: number
      readonly context: number
      readonly question: Question
      readonly streams: boolean
    }
  /** Ends an answer early. */
  | { readonly kind: 'stop'; readonly id: number }
  /** There is room for one more piece. */
  | { readonly kind: 'taken'; readonly id: number }

/** What was read and written so far. */
export interface Counts {
  readonly inputTokens: number
  readonly outputTokens: number
}

export interface Account extends Counts {
  /** Input tokens that were still known from the question before. */
  readonly knownTokens: number
  readonly end: 'stop' | 'length' | 'stopped'
}

/** What a child says. Beside a piece and an answer goes its text. */
export type FromChild =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'refused'; readonly message: string }
  | ({ readonly kind: 'piece'; readonly id: number } & Counts)
  /** Of an answer that was stopped, the text is as far as it came. */
  | ({ readonly kind: 'answered'; readonly id: number } & Account)
  | { readonly kind: 'too_long'; readonly id: number; readonly tokens: number; readonly most: number }
  /** The template of the file makes no input of these messages; `message` is its reason. */
  | { readonly kind: 'template_refused'; readonly id: number; readonly message: string }
  | { readonly kind: 'failed'; readonly id: number }

type WithText<T> = T extends { kind: 'piece' | 'answered' } ? T & { readonly text: string } : T
export type Heard = WithText<FromChild>

export type Answer = Extract<Heard, { kind: 'answered' | 'too_long' | 'template_refused' | 'failed' }>

/** Characters of what a library, or a template, says. */
export const MOST_MESSAGE = 500

/** Pieces of one answer that may be on their way. One more ends the child. */
export const MOST_UNTAKEN = 16

/** Bytes of one piece: as JSON, where a byte may take six characters, it fits a message of the stream. */
const MOST_PIECE_BYTES = 8 * 1024

/** Bytes of text, after which an answer ends: as JSON it has its place in a record. */
export const MOST_TEXT_BYTES = 120 * 1024

/** Bytes beside the head of one message: of an answer, with its last token. */
export const MOST_ANSWER_BYTES = MOST_TEXT_BYTES + 64 * 1024

/** More than any model reads or writes at once. */
const MOST_TOKENS = 100_000_000
const ends: ReadonlySet<unknown> = new Set<Account['end']>(['stop', 'length', 'stopped'])

/** A copy that has what the protocol names and nothing else; undefined for what it does not know. */
export function readFromChild({ head, parts }: ChildMessage): Heard | undefined {
  const said = (head ?? {}) as Fields
  if (said.kind === 'piece') return readPiece(said, parts)
  if (said.kind === 'answered') return readAnswered(said, parts)
  if (parts.length > 0) return undefined
  const { kind, id, message, tokens, most } = said
  if (kind === 'loaded') return { kind }
  if (kind === 'refused')
    return typeof message === 'string' ? { kind, message: message.slice(0, MOST_MESSAGE) } : undefined
  if (!isCount(id)) return undefined
  if (kind === 'failed') return { kind, id }
  if (kind === 'template_refused')
    return typeof message === 'string' ? { kind, id, message: shown(message) } : undefined
  return kind === 'too_long' && isCount(tokens) && isCount(most) ? { kind, id, tokens, most } : undefined
}

/** The file is of anybody's: its template may say control characters, and halves of pairs. */
const shown = (message: string): string =>
  message
    .slice(0, MOST_MESSAGE)
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()

function readPiece({ id, inputTokens, outputTokens }: Fields, [text, ...more]: readonly Buffer[]): Heard | undefined {
  if (text === undefined || text.length > MOST_PIECE_BYTES || more.length > 0) return undefined
  if (!isCount(id) || !isCount(inputTokens) || !isCount(outputTokens)) return undefined
  return { kind: 'piece', id, inputTokens, outputTokens, text: text.toString() }
}

function readAnswered(said: Fields, [text, ...more]: readonly Buffer[]): Heard | undefined {
  const { id, inputTokens, knownTokens, outputTokens, end } = said
  if (text === undefined || more.length > 0 || !ends.has(end) || !isCount(id)) return undefined
  if (!isCount(inputTokens) || !isCount(knownTokens) || !isCount(outputTokens) || knownTokens > inputTokens)
    return undefined
  const account = { inputTokens, knownTokens, outputTokens, end: end as Account['end'] }
  return { kind: 'answered', id, ...account, text: text.toString() }
}

type Fields = Readonly<Record<string, unknown>>

const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MOST_TOKENS
