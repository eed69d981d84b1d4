import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Emission, Loaded } from '@millhand/child-process'
import { env } from 'onnxruntime-node'
import { describeModelRunner } from '../runner.contract.ts'
import { PORTION_CHARACTERS } from './input-portions.ts'
import {
  ask,
  dataUri,
  fixture,
  hostileModel,
  item,
  load,
  said,
  shippedModel,
  start,
  tensorModel,
  testRunner,
} from './models.fixture.ts'
import { writeWav } from './processing/speech/wav.fixture.ts'

const FILE = fileURLToPath(new URL('../../../../deploy/models/digits/model.onnx', import.meta.url))
const digits = shippedModel('digits')

let model: Loaded
before(async () => {
  model = await start(digits)
})
after(() => model.kill())

test('digits tells the held-out pictures apart as well as its manifest says', async () => {
  const file = new URL('../../../../deploy/models/digits/held-out.csv', import.meta.url)
  const rows = readFileSync(file, 'utf8').trim().split('\n')
  const items = rows.map(row => item(`[${row.slice(row.indexOf(',') + 1)}]`))
  const results = (await model.run(items)).items
  const right = results.filter((result, index) => rows[index]?.startsWith(`${said(result).digit},`))
  assert.equal(rows.length, digits.manifest.metrics.held_out)
  assert.equal(Math.round((right.length / rows.length) * 1e4) / 1e4, digits.manifest.metrics.accuracy)
  assert.ok(right.length / rows.length >= 0.97)
})

test('an answer has the digit, its confidence and ten scores', async () => {
  const { digit, confidence, scores, ...rest } = await ask(model, digits.exampleInput as string)
  assert.deepEqual(rest, {})
  assert.equal(scores.length, 10)
  assert.equal(scores[digit], confidence)
  assert.ok(Math.abs(scores.reduce((a: number, b: number) => a + b) - 1) < 1e-4)
})

test('an item of a batch gets what it would get alone, and a bad one fails alone', async () => {
  const good = digits.exampleInput as string
  const other = `[${Array(64).fill(3)}]`
  const inputs = [good, '[1,2]', other, 'not JSON', good]
  const { items, computeMs } = await model.run(inputs.map(input => item(input)))
  assert.deepEqual(
    items.map(result => (result.ok ? 'ok' : result.code)),
    ['ok', 'model_input_invalid', 'ok', 'model_input_invalid', 'ok'],
  )
  const [alone] = (await model.run([item(other)])).items
  assert.deepEqual(items[2], alone)
  assert.deepEqual(items[0], items[4])
  assert.notDeepEqual(items[0], items[2])
  assert.ok(computeMs > 0)
})

test('tensors of unlike shapes come in one batch, each with its own rows back', async t => {
  const plain = await load(t, tensorModel(FILE, true))
  const rows = (count: number, value: number) =>
    JSON.stringify({ pixels: { dtype: 'float32', shape: [count, 64], data: Array(count * 64).fill(value) } })
  const inputs = [rows(1, 0), rows(3, 0.5), rows(0, 0), rows(1, 1), '{"pixels":{"dtype":"int8","shape":[],"data":[1]}}']
  const { items } = await plain.run(inputs.map(input => item(input)))
  const shapes = items.map(result => said(result).probabilities?.shape ?? said(result))
  assert.deepEqual(shapes, [[1, 10], [3, 10], [0, 10], [1, 10], 'model_input_invalid'])
  const alone = (await plain.run([item(rows(1, 1))])).items[0]
  assert.deepEqual(items[3], alone)
})

test('tensors that come as base64 go as base64', async t => {
  const plain = await load(t, tensorModel(FILE))
  const data = Buffer.from(new Float32Array(64).buffer).toString('base64')
  const base64 = await ask(plain, JSON.stringify({ pixels: { dtype: 'float32', shape: [1, 64], data } }))
  const list = await ask(
    plain,
    JSON.stringify({ pixels: { dtype: 'float32', shape: [1, 64], data: Array(64).fill(0) } }),
  )
  const bytes = Buffer.from(base64.probabilities.data, 'base64')
  const read = Array.from({ length: 10 }, (_, index) => bytes.readFloatLE(index * 4))
  assert.deepEqual(read, list.probabilities.data.map(Math.fround))
})

test('a model says how much memory it has, and none when it is gone', async t => {
  const one = await load(t, digits)
  assert.ok(one.memoryBytes() > 50e6)
  await one.kill()
  assert.equal(one.memoryBytes(), 0)
  assert.equal((await one.gone).reason, 'killed')
  await one.kill()
})

test('the engine is named with the version that runs', () => {
  assert.equal(testRunner().engine.name, `onnxruntime ${env.versions.node}`)
})

test('a batch whose inputs are large goes to the child in portions that its memory holds', async t => {
  const small = await load(t, digits, { memoryLimitBytes: 256 * 2 ** 20 })
  const padding = ' '.repeat(512 * 1024)
  const inputs = Array.from({ length: 200 }, (_, index) => `[${Array(64).fill(index % 16)}]${padding}`)
  const { items } = await small.run(inputs.map(input => item(input)))
  const alone = await Promise.all(
    [0, 9].map(async index => (await model.run([item(`[${Array(64).fill(index)}]`)])).items[0]),
  )
  assert.equal(items.length, 200)
  assert.deepEqual([items[0], items[9], items[185]], [alone[0], alone[1], alone[1]])
})

test('what an item emits is its own, also in a later portion', async t => {
  const speech = await load(t, shippedModel('silero-vad'))
  const silence = writeWav(new Float32Array(9 * 8000), { rate: 8000, channels: 1, bits: 8 })
  const parameters = { padding: ' '.repeat(PORTION_CHARACTERS) }
  const one = item(dataUri('audio/wav', silence), parameters)
  const emitted: [item: number, emission: Emission][] = []
  const { items } = await speech.run([one, one], async (item, emission) => {
    emitted.push([item, emission])
  })
  assert.equal(items.length, 2)
  const emission = { kind: 'progress', fraction: 256 / 282 }
  assert.deepEqual(emitted, [
    [0, emission],
    [1, emission],
  ])
})

const endless = hostileModel('endless-loop')
describeModelRunner('onnxruntime', {
  runner: () => testRunner(),
  model: shippedModel('silero-vad'),
  streams: [spoken({}), spoken({ pad_ms: 200 })],
  invalid: item('no recording'),
  endless: {
    model: endless,
    item: item(JSON.stringify({ x: { dtype: 'float32', shape: [1], data: [1] } })),
  },
})

function spoken(parameters: Record<string, unknown>) {
  return item(dataUri('audio/wav', fixture('speech.wav')), parameters)
}
