/** What is wrong at a place of a source. */
import type { Edit } from './edit.ts'

export const severities = ['error', 'warning', 'info'] as const

export type Severity = (typeof severities)[number]

export type Category = 'security' | 'bug' | 'quality'

/** What is known of a rule beforehand: how bad it is, why it matters and what to do. */
export type Rule = readonly [severity: Severity, category: Category, why: string, fix: string]

/** A finding with the changes that would mend it, not tried yet. */
export interface Found {
  readonly rule: string
  readonly severity: Severity
  readonly category: Category
  /** Lines and columns count from 1, columns in UTF-16 units. */
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly message: string
  readonly why: string
  readonly fix: string
  readonly edits: readonly Edit[]
}

/** What reads a language. Throws where the source is too much for it, for example nested too deeply. */
export interface Linter {
  lint(text: string): Found[]
  /** Whether the text is of the language. */
  parses(text: string): boolean
  /** Lines that no rule sees, of a linter that reads around what it can't parse. Other linters read nothing of such a text. */
  unparsed?(text: string): LineRange[]
}

/** Lines from 1, both included. */
export interface LineRange {
  readonly from: number
  readonly to: number
}

export function linesIn(ranges: readonly LineRange[]): Set<number> {
  const lines = new Set<number>()
  for (const { from, to } of ranges) for (let line = from; line <= to; line++) lines.add(line)
  return lines
}

/** A source that is none of its language. */
export const syntaxError = (line: number, column: number, message: string): Found => ({
  rule: 'syntax-error',
  severity: 'error',
  category: 'bug',
  line,
  column,
  endLine: line,
  message: plain(message),
  why: "The file can't be parsed, so it can't run either: its syntax is wrong, or newer than the parser. Rules see only the parts that can be parsed.",
  fix: 'Correct the syntax here or just before.',
  edits: [],
})

/** Messages repeat names of the code: on one line, without control and direction characters, and short. */
export const plain = (message: string): string => {
  const visible = message.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return visible.length > MOST_MESSAGE ? `${visible.slice(0, MOST_MESSAGE - 1)}…` : visible
}

const MOST_MESSAGE = 300
