/** What goes into upper layers: each text is a row, filled up to the longest, and what fits no row is refused. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Tensor } from '@millhand/model'
import { ExamplesInvalid, TrainingRefused } from '@millhand/training'
import { MOST_STATE_NUMBERS, stateReader } from './state-reader.ts'

const floats = (shape: readonly number[], fill = 0): Tensor => ({
  dtype: 'float32',
  shape,
  data: new Float32Array(shape.reduce((product, length) => product * length, 1)).fill(fill),
})
const ones = (tokens: number): Tensor => ({
  dtype: 'int64',
  shape: [1, tokens],
  data: new BigInt64Array(tokens).fill(1n),
})

/** Reads an example for each of these, whose tokens are as many as the mask has. */
async function read(...examples: readonly { readonly states: Tensor; readonly mask: Tensor }[]) {
  let next = 0
  const reader = stateReader({
    session: { run: async () => new Map([['states', examples[next++]?.states as Tensor]]) },
    layers: { states: 'states', others: ['mask'] },
    read: async () => ({ tensors: new Map([['mask', examples[next]?.mask as Tensor]]), base64: false }),
    lines: Uint32Array.from(examples, (_, at) => at + 1),
    onExample: async () => {},
  })
  for (const [at] of examples.entries()) await reader.add({ input: 'a text' }, { line: at + 1, isTable: false })
  return { reader, tensors: reader.tensors(examples.length) }
}

test('texts are filled up with zeros to the longest', async () => {
  const { reader, tensors } = await read(
    { states: floats([1, 1, 2], 5), mask: ones(1) },
    { states: floats([1, 3, 2], 6), mask: ones(3) },
  )
  assert.equal(reader.tokens(), 3)
  const { shape, data } = tensors.get('states') as Tensor
  assert.deepEqual(shape, [2, 3, 2])
  assert.deepEqual([...(data as Float32Array)], [5, 5, 0, 0, 0, 0, 6, 6, 6, 6, 6, 6])
  assert.deepEqual([...((tensors.get('mask') as Tensor).data as BigInt64Array)], [1n, 0n, 0n, 1n, 1n, 1n])
})

test('a vector for each token is needed, of one length for all', async () => {
  const mask = ones(2)
  for (const states of [
    floats([1, 2]),
    floats([2, 2, 3]),
    floats([1, 0, 3]),
    floats([1, 2, 0]),
    { ...ones(2), shape: [1, 2, 1] },
  ])
    await assert.rejects(read({ states, mask }), TrainingRefused)
  await assert.rejects(read({ states: floats([1, 2, 3]), mask }, { states: floats([1, 2, 4]), mask }), TrainingRefused)
  await assert.rejects(read({ states: floats([1, 3, 3]), mask }), TrainingRefused)
})

test('the line is named from which there are too many, before it is read', async () => {
  const most = MOST_STATE_NUMBERS / 2 ** 12
  const short = { states: floats([1, 1, 2 ** 12]), mask: ones(1) }
  const long = { states: floats([1, most / 2 + 1, 2 ** 12]), mask: ones(most / 2 + 1) }
  const unreadable = { states: floats([1, 2]), mask: ones(1) }
  for (const [line, ...examples] of [
    [2, short, long],
    [2, long, unreadable],
    [4, short, short, short, long],
  ] as const) {
    await assert.rejects(read(...examples), (error: unknown) => {
      assert.ok(error instanceof ExamplesInvalid)
      assert.match(error.message, new RegExp(`^line ${line}, column \`input\`: the texts have over 2048 tokens`))
      return true
    })
  }
})
