import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readFromChild } from './protocol.ts'

const account = { kind: 'answered', id: 7, inputTokens: 20, knownTokens: 5, outputTokens: 3, end: 'stop' }
const text = [Buffer.from('yes')]

it('what a local language model says it counted is taken where it can be so, and nothing beside it', () => {
  const read = readFromChild({ head: { ...account, costMicros: 0 }, parts: text })
  assert.deepEqual(read, { ...account, text: 'yes' })
  for (const lie of [
    { inputTokens: -1 },
    { inputTokens: 1e308 },
    { inputTokens: 0.5 },
    { inputTokens: '20' },
    { outputTokens: 100_000_001 },
    { outputTokens: null },
    { knownTokens: 21 },
    { end: 'else' },
    { id: '7' },
  ])
    assert.equal(readFromChild({ head: { ...account, ...lie }, parts: text }), undefined, JSON.stringify(lie))
  assert.equal(readFromChild({ head: account, parts: [] }), undefined)
})

it('what it says else has numbers and words of bounded size', () => {
  const tooLong = { kind: 'too_long', id: 7, tokens: 9_000, most: 8_192 }
  assert.deepEqual(readFromChild({ head: { ...tooLong, more: 1 }, parts: [] }), tooLong)
  for (const head of [
    { ...tooLong, tokens: 'many' },
    { ...tooLong, most: 1e300 },
    { kind: 'refused', message: {} },
    { kind: 'template_refused', id: 7 },
    { kind: 'template_refused', message: 'no' },
    { kind: 'failed' },
    { kind: 'failed', id: -1 },
    { kind: 'unknown', id: 7 },
    null,
  ])
    assert.equal(readFromChild({ head, parts: [] }), undefined, JSON.stringify(head))
  const refused = readFromChild({ head: { kind: 'refused', message: 'x'.repeat(1_000) }, parts: [] })
  assert.deepEqual(refused, { kind: 'refused', message: 'x'.repeat(500) })
  const template = { kind: 'template_refused', id: 7 }
  for (const [message, shown] of [
    ['roles\u0000must\r\nalternate\u202e\ud800', 'roles must alternate'],
    ['😀'.repeat(1_000), '😀'.repeat(250)],
    [`x${'😀'.repeat(1_000)}`, `x${'😀'.repeat(249)}`],
  ])
    assert.deepEqual(readFromChild({ head: { ...template, message }, parts: [] }), { ...template, message: shown })
})

it('a piece is text with what was counted until then', () => {
  const piece = { kind: 'piece', id: 7, inputTokens: 20, outputTokens: 3 }
  assert.deepEqual(readFromChild({ head: { ...piece, more: 1 }, parts: text }), { ...piece, text: 'yes' })
  for (const lie of [{ id: 0.5 }, { inputTokens: -1 }, { outputTokens: 'many' }])
    assert.equal(readFromChild({ head: { ...piece, ...lie }, parts: text }), undefined, JSON.stringify(lie))
  assert.equal(readFromChild({ head: piece, parts: [...text, ...text] }), undefined)
  assert.equal(readFromChild({ head: piece, parts: [Buffer.alloc(8 * 1024 + 1)] }), undefined)
})
