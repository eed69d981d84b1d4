import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasModifiers, isTight } from './files.ts'

test('a limit on elapsed time that a busy machine may exceed is found', () => {
  const lines = (ms: string) => [
    `it('ends', { timeout: ${ms} }, async () => {`,
    `assert.ok(performance.now() - began < ${ms})`,
    `assert.ok(Date.now() - start <= ${ms}, 'too slow')`,
    `assert.ok(took < ${ms})`,
    `assert.ok(tookMs < ${ms})`,
  ]
  for (const ms of ['1', '999', '5_000', '49_999']) for (const line of lines(ms)) assert.ok(isTight(line), line)
  for (const ms of ['50_000', '120_000', '600000']) for (const line of lines(ms)) assert.ok(!isTight(line), line)
  for (const line of ['const timeout = 5', `limits: { timeoutMs: 250 }`, 'assert.ok(count < 10)'])
    assert.ok(!isTight(line), line)
})

test('a group with modifiers is found, and no other group', () => {
  for (const modifiers of ['i', '-i', 'im', 'i-m', 'i-']) assert.ok(hasModifiers(`const hi = /x(?${modifiers}:hi)/`))
  for (const group of ['(?:i', '(?=i:', '(?<i>', '(?!i:', '(?<!i:']) assert.ok(!hasModifiers(`const hi = /${group})/`))
})
