import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TrainingRefused } from '../training-refused.ts'
import { newHead } from './new-head.ts'

test('a head has no more bytes than it may, and one that would have more is refused before it is made', () => {
  const labels = ['a', 'b', 'c']
  const most = 20_000
  assert.ok(newHead(1_000, labels, most).bytes.length <= most)
  for (const width of [1_700, 2 ** 26, Number.MAX_SAFE_INTEGER])
    assert.throws(() => newHead(width, labels, most), TrainingRefused)
  assert.throws(() => newHead(1, labels, -1), TrainingRefused)
})
