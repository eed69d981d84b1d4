/** What passes between the executor and the process of a local language model. One question at a time. */
import type { Said } from '@millhand/worker'
import type { Schema } from '../catalogue.ts'

export interface LoadMessage {
  readonly kind: 'load'
  readonly file: string
  readonly threads: number
}

export interface AskMessage {
  readonly kind: 'ask'
  readonly system: string
  readonly prompt: string
  /** What the answer has to be: JSON by it, as far as a grammar can say so. */
  readonly schema: Schema | undefined
  readonly maxOutputTokens: number
  readonly seed: number
}

/** `stop` ends what is being answered: `answered` says then how far it came. */
export type ToChild = LoadMessage | AskMessage | { readonly kind: 'stop' }

export type FromChild =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'refused'; readonly message: string }
  /** Beside it goes the text. */
  | ({ readonly kind: 'answered' } & Account)
  | { readonly kind: 'too_long'; readonly tokens: number; readonly most: number }
  | { readonly kind: 'failed' }

export interface Account {
  readonly inputTokens: number
  /** Those of them that were still known from the question before. */
  readonly knownTokens: number
  readonly outputTokens: number
  readonly end: 'stop' | 'length' | 'stopped'
}

export type Heard = Exclude<FromChild, { kind: 'answered' }> | ({ readonly kind: 'answered'; text: string } & Account)

/** Bytes of an answer: of the longest, and of what says how long it is. */
export const MOST_ANSWER_BYTES = 2 ** 20

/** Undefined for what the protocol does not know. */
export function readFromChild({ head, parts }: Said): Heard | undefined {
  const said = head as FromChild
  if (said.kind !== 'answered') return parts.length === 0 && others.has(said.kind) ? said : undefined
  const counts = [said.inputTokens, said.knownTokens, said.outputTokens]
  const [text] = parts
  return text !== undefined && counts.every(count => Number.isSafeInteger(count) && count >= 0)
    ? { ...said, text: text.toString() }
    : undefined
}

const others: ReadonlySet<string> = new Set(['loaded', 'refused', 'too_long', 'failed'])
