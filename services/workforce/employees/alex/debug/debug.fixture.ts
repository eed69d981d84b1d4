/** Has traces read, and holds each result against its checks. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Brief } from '../../src/brief.ts'
import { checks } from './checks.ts'
import { rules } from './engine.ts'
import type { Input, Result } from './result.ts'

export const brief = (input: Input): Brief<Input> => ({
  topic: '',
  tone: '',
  constraints: {},
  files: [],
  seed: 1,
  input,
})

export async function debug(input: Input): Promise<Result> {
  const asked = brief(input)
  const answer = await rules(asked)
  const hasNone = answer.result.failing_frame === null
  for (const { id, pass, value } of checks(asked, answer))
    assert.equal(pass, !(hasNone && id === 'frame_is_in_the_trace'), `${id}: ${value}`)
  return answer.result
}

/** What a program of the bar said, or one of its files. */
export const said = (name: string, file: string) =>
  readFileSync(join(import.meta.dirname, 'bar/cases', name, `${file}.txt`), 'utf8')
