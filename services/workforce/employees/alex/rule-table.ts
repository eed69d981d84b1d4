/** Rules of a linter that are asked, each with why it matters and what to do. Style is left to formatters. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Category, Rule, Severity } from './finding.ts'

/** A table with a line a rule: its name, severity, category, why and fix, between tabs. */
export function ruleTable(name: string): Readonly<Record<string, Rule>> {
  const [, ...lines] = readFileSync(join(import.meta.dirname, name), 'utf8')
    .trimEnd()
    .split('\n')
  return Object.fromEntries(
    lines.map(line => {
      const [id = '', severity, category, why = '', fix = ''] = line.split('\t')
      return [id, [severity as Severity, category as Category, why, fix]]
    }),
  )
}
