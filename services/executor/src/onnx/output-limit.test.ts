import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RunResult } from '@millhand/child-process'
import { type Tensor, tensorParts } from '@millhand/model'
import { MAX_MESSAGE_BYTES, mostInline } from '../result-limit.ts'
import { MOST_ITEMS } from './input-portions.ts'
import { ask, item, load, outputOf, plainModel, said } from './models.fixture.ts'
import { boundedText, checkWritable, MAX_OUTPUT_BYTES, OutputTooLarge } from './output-limit.ts'

const text = plainModel('text', { preprocess: { name: 'text' }, batchable: true })
/** Of an output of the model, all but the text. */
const AROUND = '{"y":{"dtype":"string","shape":[1],"data":[""]}}'.length
const tooLarge = { code: 'output_too_large', message: /67,108,864 bytes/ }

test('an output of 256 KiB comes in a message, one byte more in a file, and bytes are counted, not letters', async t => {
  const model = await load(t, text)
  const most = MAX_MESSAGE_BYTES - AROUND
  const inputs = ['a'.repeat(most), 'b'.repeat(most + 1), `${'c'.repeat(most - 1)}é`]
  const { items } = await model.run(inputs.map(input => item(input)))
  assert.deepEqual(
    items.map(result => (result.ok ? Object.keys(result) : result.code)),
    [
      ['ok', 'output'],
      ['ok', 'file'],
      ['ok', 'file'],
    ],
  )
  for (const [index, input] of inputs.entries()) {
    assert.equal(JSON.parse(await outputOf(items[index])).y.data[0], input)
  }
})

test('outputs in files are those of their own items and runs, and their files are gone by then', async t => {
  const model = await load(t, text)
  const letters = ['a', 'b', 'c'].map(letter => letter.repeat(MAX_MESSAGE_BYTES))
  const first = await model.run(letters.map(input => item(input)))
  const second = await model.run(letters.toReversed().map(input => item(input)))
  await model.kill()
  const initials = async ({ items }: RunResult) =>
    Promise.all(items.map(async result => JSON.parse(await outputOf(result)).y.data[0][0]))
  assert.deepEqual(
    [await initials(first), await initials(second)],
    [
      ['a', 'b', 'c'],
      ['c', 'b', 'a'],
    ],
  )
})

test('outputs in files that have no room together are tried again, and no file is written for them', async t => {
  const model = await load(t, text, { outputFilesBytes: 3 * MAX_MESSAGE_BYTES })
  const long = 'a'.repeat(MAX_MESSAGE_BYTES)
  for (let runs = 0; runs < 2; runs++) {
    const { items } = await model.run([long, long, long, 'a'].map(input => item(input)))
    assert.deepEqual(
      items.map(result => (result.ok ? Object.keys(result)[1] : [result.code, result.retryable])),
      ['file', 'file', ['model_failed', true], 'output'],
    )
    for (const result of items) if (result.ok && 'file' in result) await result.file.handle.close()
  }
})

test('a run of many portions has so much in messages, and the rest in files, as a run of one', async t => {
  const model = await load(t, text)
  const long = 'a'.repeat(MAX_MESSAGE_BYTES / 2)
  const count = 2 * MOST_ITEMS
  const inputs = Array.from({ length: count }, (_, index) => (index % 8 === 0 ? `${index}${long}` : `${index}`))
  for (let runs = 0; runs < 2; runs++) {
    const { items } = await model.run(inputs.map(input => item(input)))
    const bytes = items.map(result => ('output' in result ? Buffer.byteLength(result.output) : 0))
    const inline = bytes.reduce((sum, one) => sum + one, 0)
    assert.ok(inline <= mostInline(32) && inline > mostInline(32) - MAX_MESSAGE_BYTES, `${inline} bytes`)
    for (const [index, input] of inputs.entries())
      assert.equal(JSON.parse(await outputOf(items[index])).y.data[0], input)
  }
})

test('of a batch only the item whose output is too large fails, and trying again would not help', async t => {
  const wide = await load(t, plainModel('wide'))
  const { items } = await wide.run([1000, 2 ** 24, 10].map(count => item(length(count))))
  assert.deepEqual(
    items.map(result => (result.ok ? said(result).y.data.length : [result.code, result.retryable])),
    [1000, ['output_too_large', false], 10],
  )
})

test('an output is not written as text to its end when it cannot fit', async t => {
  // 64 MiB as floats; their whole text takes the child beyond its memory.
  const plain = await load(t, plainModel('wide'))
  await assert.rejects(ask(plain, length(2 ** 24)), tooLarge)
  assert.equal((await ask(plain, length(300_000))).y.data.length, 300_000)
  const scores = { preprocess: { name: 'numbers', count: 1, shape: [] }, postprocess: { name: 'classify' } }
  const classifier = await load(t, plainModel('wide', scores))
  assert.equal((await ask(classifier, '[1000]')).scores.length, 1000)
  await assert.rejects(ask(classifier, `[${2 ** 24}]`), tooLarge)
})

const length = (count: number) => JSON.stringify({ x: { dtype: 'float32', shape: [1], data: [count] } })

test('what is refused before it is written would not have fitted', () => {
  const half = MAX_OUTPUT_BYTES / 2
  const most: [tensor: Tensor, base64: boolean][] = [
    [{ dtype: 'uint8', shape: [], data: new Uint8Array(half - 50) }, false],
    [{ dtype: 'bool', shape: [], data: new Uint8Array(half + 1_000) }, true],
    [{ dtype: 'string', shape: [], data: ['a'.repeat(MAX_OUTPUT_BYTES - 60)] }, true],
  ]
  for (const [tensor, base64] of most) {
    assert.ok(boundedText(tensorParts([['x', tensor]], base64)).length <= MAX_OUTPUT_BYTES, tensor.dtype)
    checkWritable([tensor], base64)
    assert.throws(() => checkWritable([tensor, tensor], base64), OutputTooLarge)
    assert.throws(
      () =>
        boundedText(
          tensorParts(
            [
              ['x', tensor],
              ['y', tensor],
            ],
            base64,
          ),
        ),
      OutputTooLarge,
    )
  }
})
