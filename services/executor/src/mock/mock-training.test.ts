/** Trainings of the sandbox beside live ones of the same request. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Emission, ItemResult, Loaded, RunItem } from '@millhand/child-process'
import { inspectOnnx, isObject, parseManifest } from '@millhand/model'
import { createLog } from '@millhand/telemetry'
import type { TrainingCard } from '@millhand/training'
import { fixture, shippedModel } from '../onnx/models.fixture.ts'
import { trainingRunner } from '../onnx/training/training-runner.ts'
import { mockTrainingRunner } from './mock-runner.ts'
import { mockTraining } from './mock-training.ts'
import { SeededRandom } from './seeded-random.ts'

const digits = shippedModel('digits')
const folder = mkdtempSync(join(tmpdir(), 'millhand-mock-training-'))
after(() => rmSync(folder, { recursive: true }))

/** A digit and its pixels from 0 to g. */
const all = String(fixture('digits/all.txt'))
  .trimEnd()
  .split('\n')
  .map(line => ({
    input: Array.from(line.slice(2), each => Number.parseInt(each, 17)),
    label: Number(line[0]),
  }))
const lines = (examples: readonly object[]) => examples.map(each => JSON.stringify(each)).join('\n')
const classes = lines(all.slice(0, 160))
const numbers = lines(
  all
    .slice(0, 160)
    .map(({ input, label }) => ({ input, target: Array.from({ length: 10 }, (_, at) => +(at === label)) })),
)
/** CSV with one example. */
const table = (input: string) => `input,label\n${input},1\n`

let files = 0

function fileOf(text: string): Exclude<RunItem['input'], string> {
  const path = join(folder, String(files++))
  writeFileSync(path, text)
  return { path, bytes: Buffer.byteLength(text) }
}

const log = createLog({ level: 'warn', write: line => void process.stderr.write(line) })
const never = new AbortController().signal
const live = await trainingRunner({ memoryLimitBytes: 768 * 2 ** 20, log }).load(digits, never)
after(() => live.kill())
const sandbox = await mockTrainingRunner().load(digits, never)

async function run(loaded: Loaded, item: RunItem) {
  const emitted: Emission[] = []
  const { items } = await loaded.run([item], async (_, emission) => void emitted.push(emission))
  return { result: items[0] as ItemResult, emitted }
}

/** What a task shows of it. */
function shown({ result, emitted }: Awaited<ReturnType<typeof run>>) {
  assert.ok('artifacts' in result, JSON.stringify(result))
  const output = JSON.parse(result.outputOf(['file_01k']))
  const card: TrainingCard = output.card
  // Their names are those of what has trained.
  const keys = keysOf({ ...output, card: { ...card, versions: {} } })
  const reports = emitted.map(({ kind, ...report }) => `${kind}: ${[...keysOf(report)].sort()}`)
  return { output, card, keys: [...keys].sort(), reports: [...new Set(reports)].sort() }
}

function keysOf(value: unknown, path = ''): ReadonlySet<string> {
  if (Array.isArray(value)) return new Set(value.flatMap(each => [...keysOf(each, `${path}[]`)]))
  if (!isObject(value)) return new Set([path])
  return new Set(
    Object.entries(value).flatMap(([name, each]) => [`${path}.${name}`, ...keysOf(each, `${path}.${name}`)]),
  )
}

async function both(item: RunItem, [real, mock]: readonly [Loaded, Loaded] = [live, sandbox]) {
  const first = await run(mock, item)
  const again = await run(mock, item)
  assert.deepEqual(first.emitted, again.emitted)
  assert.deepEqual(shown(first), shown(again))
  return { real: shown(await run(real, item)), mock: shown(first) }
}

const schedule = { epochs: 3, batch_size: 16, schedule: 'cosine', warmup_steps: 2, seed: 3 }
const ratesOf = ({ curves }: TrainingCard) => curves.map(({ step, learning_rate }) => [step, learning_rate])
const sums = ({ confusion_matrix: matrix }: TrainingCard) =>
  matrix?.counts.map((row, at) => [matrix.labels[at], row.reduce((a, b) => a + b, 0)])

for (const [what, text, parameters] of [
  ['classes', classes, schedule],
  ['some metrics of classes', classes, { ...schedule, metrics: ['precision', 'recall'] }],
  ['numbers', numbers, { ...schedule, loss: 'mean_squared' }],
  ['nothing held out', classes, { ...schedule, validation_split: 0 }],
] as const) {
  for (const place of ['inline', 'in a file']) {
    test(`the events and the output are of the same form as those of a live run: ${what}, ${place}`, async () => {
      const { real, mock } = await both({ input: place === 'inline' ? text : fileOf(text), parameters })
      assert.deepEqual(mock.reports, real.reports)
      assert.deepEqual(mock.keys, real.keys)
      assert.deepEqual(mock.card.data, real.card.data)
      assert.deepEqual(mock.card.parameters, real.card.parameters)
      assert.deepEqual(ratesOf(mock.card), ratesOf(real.card))
      assert.deepEqual(sums(mock.card), sums(real.card))
    })
  }
}

test('a new head has the labels of the examples, and reports of its features', async t => {
  const file = shippedModel('pp-ocr-v4').files.direction as string
  const means = { mean: [0.5, 0.5, 0.5], std: [0.5, 0.5, 0.5] }
  const preprocess = { name: 'image', width: 48, height: 48, channels: 'bgr', ...means }
  const manifest = parseManifest(JSON.stringify({ name: 'pictures', preprocess }))
  const { inputs, outputs } = inspectOnnx(readFileSync(file))
  const base = { ...digits, id: 'pictures', files: { model: file }, manifest, inputs, outputs }
  const pictures = String(fixture('pictures/train.jsonl')).split('\n').slice(0, 40).join('\n')
  const loaded = await trainingRunner({ memoryLimitBytes: 768 * 2 ** 20, log }).load(base, never)
  t.after(() => loaded.kill())
  const mocked = await mockTrainingRunner().load(base, never)
  const item = { input: fileOf(pictures), parameters: { epochs: 2, batch_size: 8 } }
  const { real, mock } = await both(item, [loaded, mocked])
  assert.deepEqual(mock.reports, real.reports)
  assert.deepEqual(mock.keys, real.keys)
  assert.deepEqual(mock.card.labels, real.card.labels)
  assert.deepEqual(sums(mock.card), sums(real.card))
})

test('examples that are wrong fail the task in the words of a live run', async () => {
  const wrong = '{"input":[1],"label":2}'
  const input = `${classes}\n${wrong}`
  const large = [`${wrong}\n${lines(all)}`, `${table('x')}${lines(all)}`]
  for (const each of [input, fileOf(input), ...large.map(fileOf)]) {
    const { result } = await run(sandbox, { input: each, parameters: schedule })
    assert.deepEqual(result, (await run(live, { input: each, parameters: schedule })).result)
    assert.ok(!result.ok && result.code === 'model_input_invalid', JSON.stringify(result))
  }
})

test('of a large file the beginning is read as examples, and the digest is that of all', async () => {
  const text = lines(all)
  const { real, mock } = await both({ input: fileOf(text), parameters: { epochs: 1 } })
  assert.deepEqual([mock.card.data.sha256, mock.card.data.bytes], [real.card.data.sha256, real.card.data.bytes])
  const { examples, trained_on, held_out } = mock.card.data
  assert.ok(examples > 1_000 && examples <= all.length && trained_on + held_out === examples, `${examples}`)
  assert.deepEqual(mock.keys, real.keys)
})

test('without examples that can be read there is an output all the same', async () => {
  const ones = lines(all.filter(({ label }) => label === 1))
  const sorted = fileOf(`${`${ones}\n`.repeat(12)}${classes}`)
  const longLine = fileOf(classes.replace('{', `{${' '.repeat(2 ** 18)}`))
  const cutRecord = fileOf(table(`"[0,${'\n'.repeat(2 ** 18)}1]"`))
  const parquet = fileOf('PAR1')
  for (const input of [sorted, longLine, cutRecord, parquet, 'sandbox:slow:1']) {
    const best: ItemResult[] = []
    const item = {
      input,
      parameters: { ...schedule, on_cancel: 'keep_best' },
      keepBest: (one: ItemResult) => best.push(one),
    }
    const { card } = shown(await run(sandbox, item))
    assert.equal(card.ended, 'completed')
    assert.ok(card.metrics && card.confusion_matrix, JSON.stringify(card))
    const { card: kept } = shown({ result: best[0] as ItemResult, emitted: [] })
    assert.deepEqual([kept.ended, kept.best_epoch, kept.curves.length], ['cancelled', 1, 1])
  }
})

test('of very many held-out targets some are scored', async () => {
  const many = { ...digits, outputs: [{ name: 'scores', dtype: 'float32', shape: [-1, -1, 100] } as const] }
  const label = Array.from({ length: 50_000 }, (_, at) => Math.floor(at / 5_000))
  const input = lines([0, 1].map(() => ({ input: all[0]?.input, label })))
  const loaded = await mockTrainingRunner().load(many, never)
  const { card } = shown(await run(loaded, { input, parameters: { epochs: 1, validation_split: 0.5 } }))
  assert.equal(card.data.held_out, 1)
  const counts = (sums(card) ?? []).map(([, count]) => count)
  assert.deepEqual(
    counts,
    Array.from({ length: 100 }, (_, at) => (at < 10 ? 1_000 : 0)),
  )
})

test('a file is read no further once the run is killed', async () => {
  const dice = new SeededRandom('any')
  await assert.rejects(mockTraining(digits, dice, fileOf(classes), AbortSignal.abort()), { name: 'AbortError' })
})

test('without a batch size the card says as many as are trained on', async () => {
  const { real, mock } = await both({ input: lines(all.slice(0, 20)), parameters: { epochs: 1 } })
  assert.ok(mock.card.parameters.batch_size < 32)
  assert.equal(mock.card.parameters.batch_size, real.card.parameters.batch_size)
})
