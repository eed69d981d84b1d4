/** Tables whose columns are called as what our own queries speak of: analysed as any other. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Brief } from '../../src/brief.ts'
import { checks } from '../analyze_data/checks.ts'
import { rules } from '../analyze_data/engine.ts'
import type { AnalysisInput } from './input.ts'

/** Every word that stands in a query of ours, and what DuckDB knows by itself. */
const OURS = [
  ['middle', 'deviation', 'median', 'least', 'most', 'far', 'mean', 'missing', 'distinct', 'bar', 'bar_0', 'level_0'],
  ['span', 'span_0', 'group_0', 'epoch_ms', 'place', 'days', 'any_value', 'floor', 'avg', 'filter'],
  ['data', 'x', 'a', 'b', 'c', 'd', 'n', 'rows', 'moment', 'place', 'level', 'moments'],
  [
    'higher',
    'lower',
    'difference',
    'late',
    'early',
    'change',
    'share_there',
    'copies',
    'repeated',
    'pairs',
    'outliers',
  ],
  ['select', 'from', 'count', 'rowid', '*', 'everything', 'main', 'temp', 'memory', 'current_user', 'null', 'true'],
  ['read_text', "read_csv('/etc/passwd')", 'x" ; COPY data TO', '--', '/*', '$$', "'", '"', '?', '$1', ':a', '\\'],
]

describe('columns that are called as parts of a query', () => {
  for (const names of OURS)
    it(`are columns: ${names.join(', ')}`, async () => {
      const rows = Array.from({ length: 90 }, (_, i) => Object.fromEntries(names.map((name, c) => [name, cell(i, c)])))
      const input: AnalysisInput = { rows }
      const brief: Brief<AnalysisInput> = { topic: '', tone: '', constraints: {}, files: [], seed: 1, input }
      const answer = await rules(brief)
      assert.deepEqual(
        answer.result.columns.map(({ name }) => name),
        names,
      )
      assert.ok(answer.result.findings.some(({ kind }) => kind === 'outliers'))
      assert.deepEqual(
        (await checks(brief, answer)).filter(({ pass }) => !pass),
        [],
      )
    })
})

/** Numbers with one that is far away, groups and times, so that every query is asked. */
function cell(i: number, c: number): number | string {
  if (c % 4 === 3) return `group ${(i * (c + 1)) % 4}`
  if (c === 5) return new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10)
  return i + Math.sin(i * 3.1 * (c + 1)) + (i === 7 && c < 5 ? 9000 : 0)
}
