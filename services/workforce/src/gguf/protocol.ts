/** What passes between the executor and the process of a local language model. One question at a time. */
import type { Said } from '@millhand/worker'
import type { Loaded } from '../asked-child.ts'
import type { Schema } from '../catalogue.ts'

export interface Load {
  readonly file: string
  readonly threads: number
}

export interface Question {
  readonly system: string
  readonly prompt: string
  /** What the answer has to be: JSON by it, as far as a grammar can say so. */
  readonly schema: Schema | undefined
  readonly maxOutputTokens: number
  readonly seed: number
}

export type Answer =
  /** Beside it goes the text: of what was stopped, as far as it came. */
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

export type Heard =
  | Loaded
  | Exclude<Answer, { kind: 'answered' }>
  | ({ readonly kind: 'answered'; text: string } & Account)

/** Bytes of an answer: of the longest, and of what says how long it is. */
export const MOST_ANSWER_BYTES = 2 ** 20

/** Undefined for what the protocol does not know. */
export function readFromChild({ head, parts }: Said): Heard | undefined {
  const said = head as Loaded | Answer
  if (said.kind !== 'answered') return parts.length === 0 && others.has(said.kind) ? said : undefined
  const counts = [said.inputTokens, said.knownTokens, said.outputTokens]
  const [text] = parts
  return text !== undefined && counts.every(count => Number.isSafeInteger(count) && count >= 0)
    ? { ...said, text: text.toString() }
    : undefined
}

const others: ReadonlySet<string> = new Set(['loaded', 'refused', 'too_long', 'failed'])
