/** Reviews for tests. */
import assert from 'node:assert/strict'
import type { Brief } from '../../src/brief.ts'
import { checks } from './checks.ts'
import { rules } from './engine.ts'
import type { Input, Result } from './result.ts'

/** The result, whose checks pass; what was not read may fail the check that says so. */
export async function reviewOf(input: Input, rest: Partial<Brief<Input>> = {}): Promise<Result> {
  const asked = briefOf(input, rest)
  const answer = await rules(asked)
  const mayFail = answer.result.not_read.length > 0
  for (const { id, pass, value } of await checks(asked, answer))
    assert.ok(pass || (mayFail && id === 'every_file_read'), `${id}: ${value}`)
  return answer.result
}

export const briefOf = (input: Input, rest: Partial<Brief<Input>> = {}): Brief<Input> => ({
  topic: '',
  tone: '',
  constraints: {},
  files: [],
  seed: 1,
  input,
  ...rest,
})

/** As `a.ts:3 no-eval`. */
export const places = ({ findings }: Result): string[] =>
  findings.map(({ file, line, rule }) => `${file}:${line} ${rule}`)
