/** How inputs are read and outputs written, seen through models that give back what they get. */

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { LoadFailed } from '@millhand/child-process'
import sharp from 'sharp'
import { everyType, valuesOfEveryType } from '../fixtures/every-type.ts'
import { ask, dataUri, load, plainModel, start } from '../models.fixture.ts'

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

test('every type of tensor goes through the model and back', async t => {
  const model = await load(t, plainModel('every-type'))
  const answer = await ask(model, everyType)
  for (const [dtype, data] of Object.entries(valuesOfEveryType)) {
    assert.deepEqual(answer[`${dtype}_out`], { dtype, shape: [data.length], data }, dtype)
  }
})

test('processing that does not go with the model is told when it is loaded', async () => {
  const wrong: [model: string, name: string, says: RegExp][] = [
    ['every-type', 'text', /needs a model with one input/],
    ['text', 'numbers', /does not go with an input of string/],
    ['scores', 'text', /does not go with an input of float32/],
  ]
  for (const [model, name, says] of wrong) {
    const preprocess = name === 'numbers' ? { name, count: 1 } : { name }
    await assert.rejects(
      start(plainModel(model, { preprocess })),
      error => error instanceof LoadFailed && says.test(error.message),
    )
  }
})
