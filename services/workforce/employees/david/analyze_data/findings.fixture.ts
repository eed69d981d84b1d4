/** Rows that are analysed, with what is found in them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Brief } from '../../src/brief.ts'
import { faultsOf } from '../../src/run-rules.ts'
import type { AnalysisInput } from '../analysis/input.ts'
import { checks } from './checks.ts'
import { rules } from './engine.ts'

const outputSchema = JSON.parse(readFileSync(new URL('output.schema.json', import.meta.url), 'utf8'))

export async function ask(input: AnalysisInput) {
  const brief: Brief<AnalysisInput> = { topic: '', tone: '', constraints: {}, files: [], seed: 1, input }
  const answer = await rules(brief)
  assert.equal(faultsOf(outputSchema, answer.result), undefined)
  for (const { id, pass } of await checks(brief, answer)) assert.ok(pass, id)
  const chartOf = (id = '') =>
    new TextDecoder().decode(answer.artifacts?.find(({ name }) => name === `${id}.svg`)?.bytes ?? new Uint8Array())
  const { findings } = answer.result
  return {
    ...answer.result,
    text: answer.text,
    warnings: answer.warnings ?? [],
    chartOf,
    of: (kind: string, ...names: readonly string[]) =>
      findings.filter(one => one.kind === kind && names.every(name => one.columns.includes(name))),
  }
}

export const rows = (count: number, row: (i: number) => object) => Array.from({ length: count }, (_, i) => row(i))
