/** How inputs are read and outputs written, seen through models that give back what they get. */

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { LoadFailed } from '@millhand/child-process'
import sharp from 'sharp'
import { everyType, valuesOfEveryType } from '../fixtures/every-type.ts'
import { MOST_ITEMS } from '../input-portions.ts'
import { ask, dataUri, item, load, plainModel, said, start } from '../models.fixture.ts'

/** Two pixels, red and blue. */
async function redBlue(): Promise<string> {
  const raw = { width: 2, height: 1, channels: 3 as const }
  return dataUri(
    'image/png',
    await sharp(Uint8Array.of(255, 0, 0, 0, 0, 255), { raw })
      .png()
      .toBuffer(),
  )
}

async function seen(t: TestContext, name: string, preprocess: object) {
  const fields = { preprocess: { name: 'image', width: 2, height: 1, ...preprocess } }
  return (await ask(await load(t, plainModel(name, fields)), await redBlue())).y
}

test('a picture comes in the layout, order of colours and scale that its manifest says', async t => {
  const base = await seen(t, 'picture', {})
  assert.deepEqual(base, { dtype: 'float32', shape: [1, 3, 1, 2], data: [1, 0, 0, 0, 0, 1] })
  const bgr = await seen(t, 'picture', { layout: 'nhwc', channels: 'bgr' })
  assert.deepEqual(bgr, { dtype: 'float32', shape: [1, 1, 2, 3], data: [0, 0, 1, 1, 0, 0] })
  const scaled = await seen(t, 'picture', { mean: [0.5, 0.5, 0.5], std: [0.5, 0.25, 1] })
  assert.deepEqual(scaled.data, [1, -1, -2, -2, -0.5, 0.5])
  assert.deepEqual((await seen(t, 'bytes', {})).data, [255, 0, 0, 0, 0, 255])
  assert.deepEqual((await seen(t, 'picture', { channels: 'gray' })).shape, [1, 1, 1, 2])
})

test('text comes as a string tensor', async t => {
  const model = await load(t, plainModel('text', { preprocess: { name: 'text' } }))
  assert.deepEqual((await ask(model, 'naïve')).y, { dtype: 'string', shape: [1], data: ['naïve'] })
})

test('numbers are scaled and shaped', async t => {
  const preprocess = { name: 'numbers', count: 4, shape: [2, 2, 1], scale: 0.5 }
  const model = await load(t, plainModel('picture', { preprocess }))
  assert.deepEqual((await ask(model, '[1,2,3,4]')).y, { dtype: 'float32', shape: [1, 2, 2, 1], data: [0.5, 1, 1.5, 2] })
})

test('numbers that are read together are what each is by itself', async t => {
  const fields = {
    preprocess: { name: 'numbers', count: 3, min: 0, max: 16, scale: 0.1 },
    postprocess: { name: 'classify' },
  }
  const alone = await load(t, plainModel('scores', fields))
  const together = await load(t, plainModel('scores', { ...fields, batchable: true }))
  const lists = [
    '[0,2,1]',
    '[16,10,9]',
    '[01,2,3]',
    '[1,2]',
    '[1,2,3,4]',
    '[1,2,17]',
    '[1,2,3',
    '[1,2,3]]',
    '[,2,3]',
    '[]',
    '1,2,3',
  ]
  const others = [
    ' [1, 2,\n3] ',
    '[1.5,2e0,0.25]',
    '[-0,2,3]',
    '[-1,2,3]',
    '[1,"2",3]',
    '[999999999999999999999,1,2]',
    '[1,2,3] x',
    '',
    'null',
  ]
  const inputs = [...lists, ...others].map(input => item(input))
  const { items } = await together.run(inputs)
  for (const [index, input] of inputs.entries())
    assert.deepEqual(items[index], (await alone.run([input])).items[0], `${input.input}`)
  assert.deepEqual(items.filter(({ ok }) => ok).length, 5)
})

test('a run of several portions answers each item in its order', async t => {
  const fields = { preprocess: { name: 'numbers', count: 2 }, postprocess: { name: 'classify' }, batchable: true }
  const model = await load(t, plainModel('scores', fields))
  const count = 2 * MOST_ITEMS + 1
  const { items } = await model.run(
    Array.from({ length: count }, (_, at) => item(at % 100 === 7 ? 'x' : `[${at},0.5]`)),
  )
  assert.equal(items.length, count)
  for (const [at, result] of items.entries())
    assert.deepEqual(result.ok && said(result).scores, at % 100 === 7 ? false : [at, 0.5])
})

test('scores become a label with its confidence', async t => {
  const preprocess = { name: 'numbers', count: 3 }
  const labels = ['cat', 'dog', 'eel']
  const answer = async (postprocess: object, more: object = {}) => {
    const fields = { preprocess, postprocess: { name: 'classify', ...postprocess }, ...more }
    return ask(await load(t, plainModel('scores', fields)), '[0,2,1]')
  }
  assert.deepEqual(await answer({}, { labels }), { label: 'dog', confidence: 2, scores: [0, 2, 1] })
  assert.deepEqual(await answer({ as: 'class' }), { class: 1, confidence: 2, scores: [0, 2, 1] })
  const { label, confidence, top } = await answer({ softmax: true, top: 2 }, { labels })
  assert.deepEqual([label, confidence], ['dog', 0.665241])
  assert.deepEqual(top, [
    { label: 'dog', confidence: 0.665241 },
    { label: 'eel', confidence: 0.244728 },
  ])
})

const scores = (shape: readonly number[], data: readonly unknown[]) =>
  JSON.stringify({ x: { dtype: 'float32', shape, data } })

test('a score that is not a number is never the best, and is told as null', async t => {
  const classifier = (postprocess: object) =>
    load(t, plainModel('scores', { postprocess: { name: 'classify', ...postprocess } }))
  const plain = await classifier({})
  assert.deepEqual(await ask(plain, scores([1, 3], ['NaN', 2, 1])), { label: 1, confidence: 2, scores: [null, 2, 1] })
  const [soft, best] = [await classifier({ softmax: true }), await classifier({ softmax: true, top: 3 })]
  assert.deepEqual(await ask(soft, scores([1, 3], ['NaN', 2, 2])), {
    ...{ label: 1, confidence: 0.5 },
    scores: [null, 0.5, 0.5],
  })
  assert.deepEqual((await ask(soft, scores([1, 3], [1, 'Infinity', 2]))).scores, [0, 1, 0])
  const listed = await ask(best, scores([1, 3], ['NaN', 1, 1]))
  assert.deepEqual(
    listed.top,
    [1, 2].map(label => ({ label, confidence: 0.5 })),
  )
  await assert.rejects(ask(plain, scores([1, 2], ['NaN', 'NaN'])), /none of its scores is a number/)
})

test('several rows of scores have no label', async t => {
  const model = await load(t, plainModel('scores', { postprocess: { name: 'classify' } }))
  await assert.rejects(ask(model, scores([2, 2], [0, 1, 2, 3])), /shape \[2,2\], which is more than one row/)
})

test('numbers that the type of the model does not have are refused', async t => {
  const preprocess = { name: 'numbers', count: 3, shape: [1, 1, 3], scale: 2 }
  const model = await load(t, plainModel('bytes', { preprocess }))
  assert.deepEqual((await ask(model, '[0,63.7,127]')).y.data, [0, 127, 254])
  for (const number of [150, -1, 1e308])
    await assert.rejects(ask(model, `[0,0,${number}]`), /number 2 of the input becomes \S+ by its scale, .* no uint8/)
  const floats = await load(t, plainModel('picture', { preprocess }))
  await assert.rejects(ask(floats, '[0,0,1e39]'), /which is no float32/)
})

test('every type of tensor goes through the model and back', async t => {
  const model = await load(t, plainModel('every-type'))
  const answer = await ask(model, everyType)
  for (const [dtype, data] of Object.entries(valuesOfEveryType)) {
    assert.deepEqual(answer[`${dtype}_out`], { dtype, shape: [data.length], data }, dtype)
  }
})

test('processing that does not go with the model is told when it is loaded', async () => {
  const wrong: [model: string, fields: object, says: RegExp][] = [
    ['every-type', { preprocess: { name: 'text' } }, /needs a model with one input/],
    ['text', { preprocess: { name: 'numbers', count: 1 } }, /does not go with an input of string/],
    ['scores', { preprocess: { name: 'text' } }, /does not go with an input of float32/],
    ['picture', { preprocess: { name: 'numbers', count: 4 } }, /makes a tensor of the shape \[1,4\]/],
    ['bytes', { postprocess: { name: 'classify' } }, /needs a model with an output of floats/],
  ]
  for (const [model, fields, says] of wrong) {
    await assert.rejects(
      start(plainModel(model, fields)),
      error => error instanceof LoadFailed && says.test(error.message),
    )
  }
})
