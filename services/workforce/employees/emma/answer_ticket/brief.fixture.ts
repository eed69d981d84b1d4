/** Tickets over the handbook of the bar. */
import assert from 'node:assert/strict'
import type { Brief } from '../../src/brief.ts'
import { handbook } from './bar/bar.ts'
import { checks } from './checks.ts'
import { rules } from './engine.ts'
import type { Input } from './result.ts'

const knowledge = [{ title: 'Handbook', text: handbook }]

export const brief = (input: Partial<Input>, rest: Partial<Brief<Input>> = {}): Brief<Input> => ({
  topic: '',
  tone: '',
  constraints: {},
  files: [],
  seed: 1,
  input: { ticket: 'For how long does the old key go on working after I rotate a key?', knowledge, ...input },
  ...rest,
})

export const answer = (ticket: string, input: Partial<Input> = {}) => rules(brief({ ticket, ...input }))

export async function assertChecks(asked: Brief<Input>): Promise<void> {
  for (const { id, pass, value } of checks(asked, await rules(asked))) assert.ok(pass, `${id}: ${value}`)
}
