import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeals } from './seal.ts'

const secret = new Uint8Array(32).fill(1)

test('a seal of one purpose is none of another', () => {
  const sealed = createSeals(secret, 'cursor').seal({ id: 'task_1' }, 'tasks')
  assert.deepEqual(createSeals(secret, 'cursor').open(sealed, 'tasks'), { id: 'task_1' })
  assert.equal(createSeals(secret, 'stream token').open(sealed, 'tasks'), undefined)
})

test('where the value ends and what it is bound to begins can not be moved', () => {
  const seals = createSeals(secret, 'cursor')
  const sealed = Buffer.from(seals.seal(1, '2'), 'base64url')
  const longer = Buffer.concat([sealed, Buffer.from('2')]).toString('base64url')
  assert.equal(seals.open(longer, ''), undefined)
})
