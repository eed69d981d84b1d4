/** What an error that many programs make means, by what it says. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { plain } from '../finding.ts'
import type { Thrown, TraceLanguage } from './traces/trace.ts'

export interface Meaning {
  readonly cause: string
  readonly advice: string
}

/** The first line that fits; undefined for an error that only its own program knows. */
export function meaningOf(language: TraceLanguage, { type, message, waits }: Thrown): Meaning | undefined {
  const said = `${type}: ${message}${waits === undefined ? '' : ` [${waits}]`}`.slice(0, LONGEST)
  for (const [known, pattern, cause, advice] of table) {
    const found = known === language ? pattern.exec(said) : null
    if (found) return { cause: filled(cause, found), advice: filled(advice, found) }
  }
  return undefined
}

const LONGEST = 1000

/** `$1` and so on, as the error says them. */
const filled = (text: string, found: RegExpExecArray) =>
  plain(
    text.replaceAll(
      /\$(\d)/g,
      (_, group: string) => found[Number(group)]?.replaceAll(/\s+/g, ' ').slice(0, 200) ?? '?',
    ),
  )

/** A language, a pattern for `Type: message`, what it means and what to do, between tabs. */
const table = readFileSync(join(import.meta.dirname, 'known-errors.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line): [string, RegExp, string, string] => {
    const [language = '', pattern = '', cause = '', advice = ''] = line.split('\t')
    return [language, new RegExp(pattern), cause, advice]
  })
