/** What looks like a fault and is none, beside what is one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rules } from './engine.ts'

const brief = (path: string, text: string) => ({
  topic: '',
  tone: '',
  constraints: {},
  files: [],
  seed: 1,
  input: { files: [{ path, text }] },
})
const rulesIn = async (path: string, text: string) =>
  (await rules(brief(path, text))).result.findings.map(({ rule, line }) => `${rule}:${line}`)

test('an assignment of what a call gives is a condition, one of a constant is none', async () => {
  assert.deepEqual(await rulesIn('a.rb', 'def f(x)\n  if y = x.call\n    y\n  end\nend\n'), [])
  assert.deepEqual(await rulesIn('a.rb', 'def f(x)\n  if x = 1\n    x\n  end\nend\n'), ['assignment-in-condition:2'])
})

test('a call behind a condition is no value that is thrown away', async () => {
  assert.deepEqual(await rulesIn('a.js', 'export function f(a, b) {\n  a && b()\n  a ? b() : a()\n}\n'), [])
  assert.deepEqual(await rulesIn('a.js', 'export function f(a, b) {\n  a + b\n}\n'), ['no-unused-expressions:2'])
})
