import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Tensor, writeTensors } from '@millhand/model'
import { ask, item, load, plainModel } from './models.fixture.ts'
import { checkWritable, fits, MAX_OUTPUT_BYTES, OutputTooLarge } from './output-bound.ts'

const text = plainModel('text', { preprocess: { name: 'text' }, batchable: true })
/** Of an output of the model, all but the text. */
const AROUND = '{"y":{"dtype":"string","shape":[1],"data":[""]}}'.length
const tooLarge = { code: 'output_too_large', message: /262144 bytes .* output files, which are not available yet/ }

test('an output of 256 KiB is given, one byte more fails, and bytes are counted, not letters', async t => {
  const model = await load(t, text)
  const most = MAX_OUTPUT_BYTES - AROUND
  assert.equal((await ask(model, 'a'.repeat(most))).y.data[0].length, most)
  await assert.rejects(ask(model, 'a'.repeat(most + 1)), tooLarge)
  await assert.rejects(ask(model, `${'a'.repeat(most - 1)}é`), tooLarge)
})

test('of a batch only the item whose output is too large fails, and trying again would not help', async t => {
  const model = await load(t, text)
  const { items } = await model.run(['one', 'a'.repeat(MAX_OUTPUT_BYTES), 'two'].map(input => item(input)))
  assert.deepEqual(
    items.map(result => (result.ok ? JSON.parse(result.output).y.data : [result.code, result.retryable])),
    [['one'], ['output_too_large', false], ['two']],
  )
})

test('an output is not written as text first when it cannot fit', async t => {
  const length = (count: number) => JSON.stringify({ x: { dtype: 'float32', shape: [1], data: [count] } })
  // 64 MiB as floats; their text takes the child beyond its memory.
  const plain = await load(t, plainModel('wide'))
  assert.equal((await ask(plain, length(1000))).y.data.length, 1000)
  await assert.rejects(ask(plain, length(2 ** 24)), tooLarge)
  const scores = { preprocess: { name: 'numbers', count: 1, shape: [] }, postprocess: { name: 'classify' } }
  const classifier = await load(t, plainModel('wide', scores))
  assert.equal((await ask(classifier, '[1000]')).scores.length, 1000)
  await assert.rejects(ask(classifier, `[${2 ** 24}]`), tooLarge)
})

test('what is refused before it is written would not have fitted', () => {
  const most: [tensor: Tensor, base64: boolean][] = [
    [{ dtype: 'uint8', shape: [], data: new Uint8Array(131_000) }, false],
    [{ dtype: 'bool', shape: [], data: new Uint8Array(196_500) }, true],
    [{ dtype: 'float64', shape: [], data: new Float64Array(24_570) }, true],
    [{ dtype: 'string', shape: [], data: Array<string>(87_350).fill('') }, false],
    [{ dtype: 'string', shape: [], data: ['a'.repeat(262_080)] }, true],
  ]
  for (const [tensor, base64] of most) {
    assert.ok(fits(writeTensors([['x', tensor]], base64)), tensor.dtype)
    checkWritable([tensor], base64)
    assert.throws(() => checkWritable([tensor, tensor], base64), OutputTooLarge)
  }
})
