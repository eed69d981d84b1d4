/** What is measured on an analysis: its queries are run again on the table of the brief. */
import type { SlowChecks } from '../../src/kind.ts'
import { claimsOf } from '../analysis/claims.ts'
import { type AnalysisInput, tableOf } from '../analysis/input.ts'
import { unproved } from '../analysis/proof.ts'
import type { Analysis } from '../analysis/result.ts'

export const checks: SlowChecks<AnalysisInput, Analysis> = async (brief, { result }) => {
  const table = await tableOf(brief)
  const wrong = await unproved(table, claimsOf(result))
  const above = result.findings.filter(({ test }) => test.p_adjusted > result.tests.level).length
  const unexpected = result.findings.filter(({ value, values }) => value !== Object.values(values)[0]).length
  return [
    { id: 'rows', pass: result.rows === table.rows, value: result.rows, target: table.rows },
    {
      id: 'no_numbers_other_than_their_query',
      pass: wrong.length + unexpected === 0,
      value: wrong.length + unexpected,
      target: 0,
    },
    { id: 'no_findings_above_the_level', pass: above === 0, value: above, target: 0 },
  ]
}
