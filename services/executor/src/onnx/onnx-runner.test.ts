import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { LoadedModel } from '../model-runner.ts'
import { ask, item, load, shippedModel, start, tensorModel } from './models.fixture.ts'

const FILE = fileURLToPath(new URL('../../../../deploy/models/digits/model.onnx', import.meta.url))
const digits = shippedModel('digits')

let model: LoadedModel
before(async () => {
  model = await start(digits)
})
after(() => model.kill())

test('digits tells the held-out pictures apart as well as its manifest says', async () => {
  const file = new URL('../../../../deploy/models/digits/held-out.csv', import.meta.url)
  const rows = readFileSync(file, 'utf8').trim().split('\n')
  const items = rows.map(row => item(`[${row.slice(row.indexOf(',') + 1)}]`))
  const results = (await model.run(items)).items
  const right = results.filter(
    (result, index) => result.ok && rows[index]?.startsWith(`${JSON.parse(result.output).digit},`),
  )
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
  const shapes = items.map(result => (result.ok ? JSON.parse(result.output).probabilities.shape : result.code))
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
