/** A classifier of handwritten digits, trained from scratch: it learns, and an interruption changes no bit of it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Tensor } from '@millhand/model'
import { openSessionOf } from '@millhand/onnxruntime'
import { evaluate } from './gradient-check.fixture.ts'
import {
  batchesOf,
  buildTrainingGraph,
  openTrainingSteps,
  readCheckpoint,
  takeExamples,
  trainedModel,
  writeCheckpoint,
} from './index.ts'
import { openNetwork, randomNumbers } from './network.fixture.ts'
import { convolution, dense } from './networks.fixture.ts'

const BATCH = 32
const EPOCHS = 20
const HELD_OUT = 14 * BATCH
/** With dropout, so that what is random within a step is part of it. */
const optimizer = { name: 'adamw', weightDecay: 0.01 } as const
const learningRate = 0.003

/**
 * scikit-learn's 1,797 digits (UCI, Optical Recognition of Handwritten Digits): a line each, the digit and its 8 × 8
 * pixels from 0 to g, which is 16.
 */
function readDigits() {
  const lines = readFileSync(new URL('../../../test/fixtures/digits/all.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  const pixels = Float32Array.from(
    lines.flatMap(line => Array.from(line.slice(2), each => Number.parseInt(each, 17) / 16)),
  )
  const labels = BigInt64Array.from(lines, line => BigInt(line[0] as string))
  const [order = new Uint32Array()] = batchesOf(lines.length, lines.length, { seed: 5, epoch: 0 })
  const examples = {
    x: { dtype: 'float32', shape: [lines.length, 1, 8, 8], data: pixels } satisfies Tensor,
    label: { dtype: 'int64', shape: [lines.length], data: labels } satisfies Tensor,
  }
  const part = (from: number, to?: number) => ({
    x: takeExamples(examples.x, order.slice(from, to)),
    label: takeExamples(examples.label, order.slice(from, to)),
  })
  return { heldOut: part(0, HELD_OUT), learned: part(HELD_OUT) }
}

const { heldOut, learned } = readDigits()
const network = openNetwork({ seed: 1 })
const model = network.bytes(buildClassifier())

function buildClassifier(): string {
  const x = network.input('x', [BATCH, 1, 8, 8])
  const filtered = network.node('Relu', [convolution(network, x, 1, 12, { pads: [1n, 1n, 1n, 1n] })])
  const halved = network.node('MaxPool', [filtered], { kernel_shape: [2n, 2n], strides: [2n, 2n] })
  const hidden = network.node('Relu', [dense(network, network.node('Flatten', [halved]), 192, 64)])
  const ratio = network.constant({ dtype: 'float32', shape: [], data: Float32Array.of(0.1) })
  return network.node('Softmax', [dense(network, network.node('Dropout', [hidden, ratio]), 64, 10)])
}

/** Trains to the end, and begins anew from a checkpoint, with nothing else kept, after each of these steps. */
async function train(interruptions: readonly number[]): Promise<Uint8Array> {
  const options = { loss: 'cross_entropy', optimizer, batch: network.batch } as const
  const steps = Array.from({ length: EPOCHS }, (_, epoch) =>
    batchesOf(learned.label.data.length, BATCH, { seed: 3, epoch }),
  ).flat()
  let checkpoint: Uint8Array | undefined
  for (const last of [...interruptions, steps.length]) {
    const training = await buildTrainingGraph(model, options, evaluate)
    const session = await openSessionOf(training.bytes, { threads: 1 })
    const from = checkpoint && readCheckpoint(checkpoint)
    const run = openTrainingSteps({ training, optimizer, session, seed: 3, ...(from && { from }) })
    for (const chosen of steps.slice(from?.step ?? 0, last)) {
      const batch = new Map([['x', takeExamples(learned.x, chosen)]])
      await run.step(batch, takeExamples(learned.label, chosen).data, learningRate)
    }
    checkpoint = writeCheckpoint(run.state())
    if (last === steps.length) return trainedModel(model, training, run.state())
  }
  throw new Error('there is no last step')
}

async function accuracyOf(trained: Uint8Array): Promise<number> {
  const session = await openSessionOf(trained, { threads: 1 })
  let right = 0
  for (let first = 0; first < HELD_OUT; first += BATCH) {
    const chosen = Uint32Array.from({ length: BATCH }, (_, at) => first + at)
    const [output] = (await session.run(new Map([['x', takeExamples(heldOut.x, chosen)]]))).values()
    const scores = output?.data as Float32Array
    for (const [at, example] of chosen.entries()) {
      const own = [...scores.subarray(at * 10, at * 10 + 10)]
      if (own.indexOf(Math.max(...own)) === Number(heldOut.label.data[example])) right += 1
    }
  }
  return right / HELD_OUT
}

const whole = train([])

test('digits are told at least 96 in 100, of those that were held out', async () => {
  const accuracy = await accuracyOf(await whole)
  assert.ok(accuracy >= 0.96, `${accuracy}`)
  assert.ok((await accuracyOf(model)) < 0.5)
})

test('a run that goes on from its checkpoints three times makes the same bytes', async t => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  t.diagnostic(`seed ${seed}`)
  const random = randomNumbers(seed)
  const all = Math.floor(learned.label.data.length / BATCH) * EPOCHS
  const interruptions = Array.from({ length: 3 }, () => Math.floor(random() * all)).toSorted((a, b) => a - b)
  assert.ok(Buffer.from(await train(interruptions)).equals(await whole))
})
