/** Has a diff reviewed. */
import assert from 'node:assert/strict'
import { type Brief, Refusal } from '../../../src/brief.ts'
import { checks } from '../checks.ts'
import { rules } from '../engine.ts'
import type { Input } from '../result.ts'

export const brief = (input: Input): Brief<Input> => ({
  topic: '',
  tone: '',
  constraints: {},
  files: [],
  seed: 1,
  input,
})

export async function review(diff: string, files: Input['files'] = []) {
  const asked = brief({ diff, files })
  const answer = await rules(asked)
  const { findings, not_read, read, summary } = answer.result
  return {
    found: findings.map(({ file, line, rule }) => `${file}:${line} ${rule}`).toSorted(),
    unread: Object.fromEntries(not_read.map(({ file, reason }) => [file, reason])),
    read: read.map(({ file, lines: count }) => `${file} ${count}`),
    failed: (await checks(asked, answer)).flatMap(({ id, pass }) => (pass ? [] : id)),
    summary,
    text: answer.text ?? '',
  }
}

export const refused = (diff: string, message: RegExp) =>
  assert.rejects(
    () => rules(brief({ diff })),
    (error: Refusal) => error instanceof Refusal && error.param === 'input.diff' && message.test(error.message),
  )
