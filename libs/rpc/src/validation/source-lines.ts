/** Lines of generated source. */
import type { Subject } from './broken-rule.ts'
import type { Words } from './rule-words.ts'

export type Lines = readonly string[]

/** Lines between braces, indented. */
export const block = (head: string, lines: Lines, end: string): string[] => [
  head,
  ...lines.map(line => `  ${line}`),
  end,
]

/** What is done otherwise, after an `if`. */
export const otherwise = (lines: Lines): Lines =>
  lines.length === 1 ? [`else ${lines[0]}`] : lines.length === 0 ? [] : block('else {', lines, '}')

/** A text as a literal. */
export const quote = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

/** A call that adds a broken rule. `path` is source: a literal or an expression. */
export function addCall(path: string, { code, says }: Words, subject: Subject = 'value'): string {
  return addCallWith(path, quote(code), says, subject)
}

/** The same; `code` is source too. */
export const addCallWith = (path: string, code: string, says: string, subject: Subject = 'value'): string =>
  `add(broken, ${path}, ${code}, ${quote(says)}${subject === 'value' ? '' : `, '${subject}'`})`
