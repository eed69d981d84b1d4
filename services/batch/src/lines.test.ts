import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linesOf } from './lines.ts'

async function read(text: string | Buffer, { most = 1_000, at = 1 } = {}) {
  const bytes = Buffer.from(text as string)
  let tooLong: number | undefined
  async function* parts() {
    for (let from = 0; from < bytes.length; from += at) yield bytes.subarray(from, from + at)
  }
  const lines = await Array.fromAsync(linesOf(parts(), most, number => (tooLong = number)))
  return { lines: lines.map(({ text, number, end }) => [text, number, end]), tooLong }
}

test('lines are the same however their bytes come', async () => {
  for (const at of [1, 2, 3, 7, 100]) {
    const { lines } = await read('a\n\nbé\r\n  \nc', { at })
    assert.deepEqual(lines, [
      ['a', 1, 2],
      ['bé\r', 3, 8],
      ['c', 5, 12],
    ])
  }
})

test('a byte order mark is no part of the first line, and what is no UTF-8 is told', async () => {
  assert.deepEqual((await read('\uFEFFa\n')).lines, [['a', 1, 5]])
  assert.deepEqual((await read(Buffer.from([0x61, 0x0a, 0xff]))).lines, [
    ['a', 1, 2],
    [undefined, 2, 3],
  ])
})

test('a line that is too long ends it', async () => {
  assert.deepEqual(await read(`a\n${'b'.repeat(11)}\nc`, { most: 10, at: 4 }), { lines: [['a', 1, 2]], tooLong: 2 })
})
