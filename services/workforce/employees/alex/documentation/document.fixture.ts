/** Has sources documented, and holds each reference against its checks. */
import assert from 'node:assert/strict'
import type { Brief } from '../../src/brief.ts'
import { checks } from './checks.ts'
import { rules } from './engine.ts'
import type { Entry, Input, Result } from './result.ts'

export const brief = (input: Input): Brief<Input> => ({
  topic: '',
  tone: '',
  constraints: {},
  files: [],
  seed: 1,
  input,
})

export async function document(input: Input): Promise<Result> {
  const asked = brief(input)
  const answer = await rules(asked)
  const isWhole = answer.result.not_read.length === 0
  for (const { id, pass, value, target } of await checks(asked, answer))
    assert.equal(pass, isWhole || id !== 'every_file_read', `${id}: ${value} of ${target}`)
  return answer.result
}

export const signaturesIn = async (path: string, code: string): Promise<string[]> => {
  const all = ({ signature, members }: Entry): string[] => [signature, ...members.flatMap(all)]
  return (await document({ code, path })).modules.flatMap(({ entries }) => entries.flatMap(all))
}

export async function documentCode(path: string, code: string): Promise<Result> {
  const brief: Brief<Input> = { topic: '', tone: '', constraints: {}, files: [], seed: 1, input: { path, code } }
  const answer = await rules(brief)
  for (const { id, pass, value, target } of await checks(brief, answer)) assert.ok(pass, `${id}: ${value} of ${target}`)
  return answer.result
}

export const has = (text: string, parts: readonly string[]) => {
  for (const part of parts) assert.ok(text.includes(part), `${part}\n---\n${text}`)
}
