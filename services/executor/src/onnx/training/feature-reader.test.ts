/** Features of a base that is wrong, or hostile: no row of them gets into the place of another. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Tensor } from '@millhand/model'
import { ExamplesInvalid, TrainingRefused } from '@millhand/training'
import { featureReader } from './feature-reader.ts'

/** Reads an example for each row of features that the base makes. */
const read = (...rows: readonly (readonly number[])[]) =>
  readOf(
    rows.map((_, at) => at + 1),
    rows,
  )

async function readOf(lines: readonly number[], rows: readonly (readonly number[])[]) {
  const tensors = rows.map(
    (row): Tensor => ({ dtype: 'float32', shape: [1, row.length], data: Float32Array.from(row) }),
  )
  let next = 0
  const reader = featureReader({
    session: { run: async () => new Map([['features', tensors[next++] as Tensor]]) },
    features: 'features',
    name: 'rows',
    read: async () => ({ tensors: new Map(), base64: false }),
    lines: Uint32Array.from(lines),
    onExample: async () => {},
  })
  for (const [at] of rows.entries()) await reader.add({ input: 'a text' }, { line: at + 1, isTable: false })
  return reader.tensors(rows.length).get('rows')
}

test('each example is a row', async () => {
  const { shape, data } = (await read([1, 2], [3, 4])) ?? {}
  assert.deepEqual(
    [shape, [...(data as Float32Array)]],
    [
      [2, 2],
      [1, 2, 3, 4],
    ],
  )
})

for (const [what, ...rows] of [
  ['more numbers than that of the first', [1, 2], [3, 4, 5], [6, 7]],
  ['fewer numbers than that of the first', [1, 2], [3]],
  ['no numbers', []],
] as const) {
  test(`a row of ${what} is refused`, async () => {
    await assert.rejects(read(...rows), TrainingRefused)
  })
}

test('of too many examples the line is named before the second is read', async () => {
  const row = new Array<number>(2 ** 20).fill(0)
  const lines = Array.from({ length: 65 }, (_, at) => 2 * at + 1)
  await assert.rejects(readOf(lines, [row]), (error: unknown) => {
    assert.ok(error instanceof ExamplesInvalid)
    assert.equal(error.message, 'line 129, column `input`: the features have more than 67108864 numbers up to here')
    return true
  })
  assert.ok(await readOf(lines.slice(0, 64), [row]))
})
