/** What passes between the executor and the process of a local language model. One question at a time. */
import type { ChildMessage } from '@millhand/child-process'
import type { Schema } from '@millhand/workforce/employee'
import type { Loaded } from '../asked-child.ts'
import { readLoaded } from '../asked-process.ts'

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

/** More than any model reads or writes at once. */
const MOST_TOKENS = 100_000_000
const ends: ReadonlySet<unknown> = new Set<Account['end']>(['stop', 'length', 'stopped'])

/** A copy that has what the protocol names and nothing else; undefined for what it does not know. */
export function readFromChild({ head, parts }: ChildMessage): Heard | undefined {
  const said = (head ?? {}) as Fields
  if (said.kind === 'answered') return readAnswered(said, parts)
  if (parts.length > 0) return undefined
  if (said.kind !== 'too_long') return readLoaded(said) ?? (said.kind === 'failed' ? { kind: 'failed' } : undefined)
  const { tokens, most } = said
  return isCount(tokens) && isCount(most) ? { kind: 'too_long', tokens, most } : undefined
}

function readAnswered(said: Fields, [text, ...more]: readonly Buffer[]): Heard | undefined {
  const { inputTokens, knownTokens, outputTokens, end } = said
  if (text === undefined || more.length > 0 || !ends.has(end)) return undefined
  if (!isCount(inputTokens) || !isCount(knownTokens) || !isCount(outputTokens) || knownTokens > inputTokens)
    return undefined
  const account = { inputTokens, knownTokens, outputTokens, end: end as Account['end'] }
  return { kind: 'answered', ...account, text: text.toString() }
}

type Fields = Readonly<Record<string, unknown>>

const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MOST_TOKENS
