import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readFromChild } from './protocol.ts'

const bytesOf = (...numbers: readonly number[]) => Buffer.from(Float32Array.from(numbers).buffer)
const read = (count: unknown, bytes: Buffer) => readFromChild({ head: { kind: 'embedded', count }, parts: [bytes] })

it('vectors are as many as there may be, of finite numbers', () => {
  const said = read(2, bytesOf(1, 0, 0, 1))
  assert.ok(said?.kind === 'embedded')
  assert.deepEqual(
    said.vectors.map(vector => [...vector]),
    [
      [1, 0],
      [0, 1],
    ],
  )
  for (const count of [0, -1, 0.5, 513, 1e308, '2', null, undefined])
    assert.equal(read(count, bytesOf(1, 0, 0, 1)), undefined, `${count}`)
  assert.equal(read(2, bytesOf(1, 0, Number.NaN, 1)), undefined)
  assert.equal(read(2, bytesOf(1, 0, Number.POSITIVE_INFINITY, 1)), undefined)
  assert.equal(read(1, Buffer.alloc(4 * 4_097)), undefined)
})
