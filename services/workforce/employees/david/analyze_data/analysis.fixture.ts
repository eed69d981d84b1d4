/** A table that is asked about, and all that is made of it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Brief } from '../../src/brief.ts'
import { faultsOf } from '../../src/run-rules.ts'
import type { AnalysisInput } from '../analysis/input.ts'
import { checks } from './checks.ts'
import { rules } from './engine.ts'

const [inputSchema, outputSchema] = ['input', 'output'].map(name =>
  JSON.parse(readFileSync(new URL(`${name}.schema.json`, import.meta.url), 'utf8')),
)
export const briefOf = (input: AnalysisInput): Brief<AnalysisInput> => ({
  topic: '',
  tone: '',
  constraints: {},
  files: [],
  seed: 1,
  input,
})

export const analysed = async (input: AnalysisInput) => rules(briefOf(input))

export async function ask(input: AnalysisInput) {
  assert.equal(faultsOf(inputSchema, input), undefined)
  const brief = briefOf(input)
  const answer = await rules(brief)
  assert.equal(faultsOf(outputSchema, answer.result), undefined)
  const artifacts = new Map(answer.artifacts?.map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)]))
  return {
    brief,
    answer,
    artifacts,
    failed: (await checks(brief, answer)).filter(({ pass }) => !pass).map(({ id }) => id),
  }
}

export const waves = (count: number, row: (i: number) => object) => Array.from({ length: count }, (_, i) => row(i))
