import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Emission, type ItemResult, type RunItem, RunnerGone } from '@millhand/child-process'
import { createLog } from '@millhand/telemetry'
import { readCheckpoint } from '@millhand/training'
import { SeededRandom } from '../../mock/seeded-random.ts'
import { shippedModel } from '../models.fixture.ts'
import { type TrainingRunnerOptions, trainingRunner } from './training-runner.ts'

const digits = shippedModel('digits')
/** A digit and its pixels from 0 to g. */
const lines = readFileSync(new URL('../../../../../test/fixtures/digits/all.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map(line => {
    const input = Array.from(line.slice(2), each => Number.parseInt(each, 17))
    return JSON.stringify({ input, label: Number(line[0]) })
  })
const examples = lines.slice(0, 320).join('\n')
const parameters = { epochs: 4, seed: 3, optimizer: 'adamw' }

const start = (options: Partial<TrainingRunnerOptions> = {}) => {
  const log = createLog({ level: 'warn', write: line => void process.stderr.write(line) })
  const runner = trainingRunner({ memoryLimitBytes: 768 * 2 ** 20, log, ...options })
  return runner.load(digits, new AbortController().signal)
}

/** Trains in a process of its own. */
async function train(item: Partial<RunItem>, options: Partial<TrainingRunnerOptions> = {}) {
  const loaded = await start(options)
  const emissions: Emission[] = []
  try {
    const { items } = await loaded.run([{ input: examples, parameters, ...item }], async (_, emission) => {
      emissions.push(emission)
    })
    return { result: items[0] as ItemResult, emissions }
  } finally {
    await loaded.kill()
  }
}

function trainedBy(result: ItemResult) {
  assert.ok('artifacts' in result, JSON.stringify(result))
  const [artifact] = result.artifacts
  return { output: JSON.parse(result.outputOf(['file_01k'])), bytes: Buffer.from(artifact?.bytes ?? []) }
}

test('a run gives the model, its card and how far it is', async () => {
  const { result, emissions } = await train({})
  const { output, bytes } = trainedBy(result)
  assert.equal(output.model, 'model_01k')
  assert.ok(bytes.length > 0)
  assert.equal(output.card.data.examples, 320)
  assert.deepEqual(output.card.parent, { model: 'digits', digest: digits.version })
  assert.ok(output.metrics.accuracy > 0.5)
  const last = emissions.at(-1)
  assert.ok(last?.kind === 'progress' && last.fraction === 1, JSON.stringify(last))
  assert.ok(Number.isFinite(last.metrics?.loss))
})

test('a run that is killed goes on from its last checkpoint, and makes the same bytes', async t => {
  const whole = trainedBy((await train({})).result)
  let stored: Uint8Array | undefined
  const loaded = await start({ checkpointEveryMs: 0 })
  t.after(() => loaded.kill())
  const storeCheckpoint = async (bytes: Uint8Array) => {
    stored = Uint8Array.from(bytes)
    await loaded.kill()
  }
  await assert.rejects(
    loaded.run([{ input: examples, parameters, storeCheckpoint }]),
    (error: unknown) => error instanceof RunnerGone && error.reason === 'killed',
  )
  assert.ok(stored)
  const checkpoint = { name: 'checkpoint', mediaType: '', bytes: stored }
  const rest = await train({ files: [checkpoint] })
  assert.ok(trainedBy(rest.result).bytes.equals(whole.bytes))
  const first = rest.emissions.find(emission => emission.kind === 'progress')
  assert.ok(Number(first?.metrics?.step) > 1, 'it went on where it was')
})

test('a run that is killed three times at random, with steps lost each time, makes the same bytes', {
  timeout: 300_000,
}, async t => {
  const seed = process.env.MILLHAND_SEED ?? process.env.TEST_PART ?? `${Math.floor(Math.random() * 2 ** 31)}`
  t.diagnostic(`MILLHAND_SEED=${seed}`)
  const random = new SeededRandom(seed)
  const long = { epochs: 250, batch_size: 256, seed: 3, optimizer: 'adamw' }
  const item = { input: lines.join('\n'), parameters: long }
  const whole = trainedBy((await train(item)).result)
  let kept: Uint8Array | undefined
  const files = () => (kept ? [{ name: 'checkpoint', mediaType: '', bytes: kept }] : [])
  const stepOf = (bytes: Uint8Array | undefined) => (bytes ? readCheckpoint(bytes).step : 0)
  for (let kill = 1; kill <= 3; kill++) {
    const loaded = await start({ checkpointEveryMs: 0 })
    t.after(() => loaded.kill())
    // The first two are of the first step: a report and a checkpoint.
    const last = random.between(3, 5)
    let [messages, lostAt] = [0, 0]
    const endsAt = async (step: number): Promise<boolean> => {
      messages += 1
      // A slow first checkpoint leaves few messages. The last steps always end it.
      if (messages < last && step < 1_000) return false
      lostAt = step
      await loaded.kill()
      return true
    }
    const storeCheckpoint = async (bytes: Uint8Array) => {
      const step = stepOf(bytes)
      if (await endsAt(step)) return
      // Early ones alone: the next run has steps enough until it is killed.
      if (step < 200 * kill && (messages === 2 || random.next() < 0.5)) kept = Uint8Array.from(bytes)
    }
    const run = loaded.run([{ ...item, files: files(), storeCheckpoint }], async (_, emission) => {
      if (emission.kind === 'progress') await endsAt(Number(emission.metrics?.step))
    })
    await assert.rejects(run, (error: unknown) => error instanceof RunnerGone && error.reason === 'killed')
    t.diagnostic(`kill ${kill}: at step ${lostAt}, the checkpoint is of step ${stepOf(kept)}`)
    assert.ok(stepOf(kept) < lostAt, 'steps are lost, and made again')
  }
  const rest = await train({ ...item, files: files() })
  assert.ok(trainedBy(rest.result).bytes.equals(whole.bytes))
})

test('a run that leaves its best says it, as a model with its card, and only where it was asked to', async t => {
  const loaded = await start()
  t.after(() => loaded.kill())
  const said: ItemResult[] = []
  const keepBest = (best: ItemResult) => void said.push(best)
  await loaded.run([{ input: examples, parameters, keepBest }])
  assert.equal(said.length, 0)
  const keeping = { ...parameters, on_cancel: 'keep_best' }
  const { items } = await loaded.run([{ input: examples, parameters: keeping, keepBest }])
  const { output, bytes } = trainedBy(said[0] as ItemResult)
  assert.deepEqual([output.card.ended, output.card.best_epoch, output.card.curves.length], ['cancelled', 1, 1])
  assert.equal(output.digest, `sha256:${createHash('sha256').update(bytes).digest('hex')}`)
  const { digest } = trainedBy(items[0] as ItemResult).output
  assert.notEqual(output.digest, digest)
  // For a cancel that comes while it is stored.
  assert.equal(trainedBy(said.at(-1) as ItemResult).output.digest, digest)
})

test('a run whose task names its provider trains', async () => {
  const { result } = await train({ parameters: { ...parameters, epochs: 1, provider: 'cpu' } })
  trainedBy(result)
})

test('a checkpoint that is damaged is none', async () => {
  const whole = trainedBy((await train({})).result)
  const checkpoint = { name: 'checkpoint', mediaType: '', bytes: new Uint8Array(100) }
  const anew = await train({ files: [checkpoint] })
  assert.ok(trainedBy(anew.result).bytes.equals(whole.bytes))
})

test('the same examples as CSV, as Parquet and as JSON Lines make the same model', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'millhand-examples-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const rows = examples.split('\n').map(line => JSON.parse(line) as { input: number[]; label: number })
  const header = [...(rows[0]?.input.keys() ?? [])].map(at => `pixel_${at}`)
  const csv = [[...header, 'label'], ...rows.map(({ input, label }) => [...input, label])].join('\n')
  // DuckDB wrote it of that CSV: COPY (FROM 'first-320.csv') TO 'first-320.parquet' (COMPRESSION zstd).
  const parquet = readFileSync(new URL('../../../../../test/fixtures/digits/first-320.parquet', import.meta.url))
  const whole = trainedBy((await train({})).result)
  for (const [name, content] of Object.entries({ csv, parquet })) {
    const path = join(folder, name)
    writeFileSync(path, content)
    const { output, bytes } = trainedBy((await train({ input: { path, bytes: statSync(path).size } })).result)
    const sha256 = createHash('sha256').update(content).digest('hex')
    const data = { ...whole.output.card.data, sha256, bytes: content.length }
    assert.deepEqual(output.card, { ...whole.output.card, data }, name)
    assert.ok(bytes.equals(whole.bytes), name)
  }
})

test('examples that are wrong fail the run, by line and column', async () => {
  const { result } = await train({ input: `${examples}\n{"input":[1],"label":2}` })
  assert.ok(!result.ok)
  assert.equal(result.code, 'model_input_invalid')
  assert.match(result.message, /^line 321, column `input`/)
})
