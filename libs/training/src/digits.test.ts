/** A classifier of handwritten digits, trained from scratch: it learns, and an interruption changes no bit of it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openNetwork } from './network.fixture.ts'
import { convolution, dense } from './networks.fixture.ts'
import { optionsOf, randomSteps, trainToEnd, withFreeRows } from './run/run.fixture.ts'
import type { TrainableModel } from './run/trainable-model.ts'

/**
 * scikit-learn's 1,797 digits (UCI, Optical Recognition of Handwritten Digits): a line each, the digit and its 8 × 8
 * pixels from 0 to g, which is 16.
 */
function digitLines(): string {
  const lines = readFileSync(new URL('../../../test/fixtures/digits/all.txt', import.meta.url), 'utf8').trimEnd()
  return lines.replaceAll(/^(\d).(.*)$/gm, (_, label: string, pixels: string) => {
    const input = Array.from(pixels, each => Number.parseInt(each, 17))
    return JSON.stringify({ input, label: Number(label) })
  })
}

const model: TrainableModel = {
  inputs: [{ name: 'c0', dtype: 'float32', shape: [-1, 1, 8, 8] }],
  outputs: [{ name: 'scores', dtype: 'float32', shape: [-1, 10] }],
  numbers: { name: 'numbers', count: 64, shape: [1, 8, 8], min: 0, max: 16, scale: 1 / 16 },
}

/** With dropout, so that what is random within a step is part of it. */
function classifier(): Uint8Array {
  const network = openNetwork({ seed: 1 })
  const x = network.input('c0', [2, 1, 8, 8])
  const filtered = network.node('Relu', [convolution(network, x, 1, 12, { pads: [1n, 1n, 1n, 1n] })])
  const halved = network.node('MaxPool', [filtered], { kernel_shape: [2n, 2n], strides: [2n, 2n] })
  const hidden = network.node('Relu', [dense(network, network.node('Flatten', [halved]), 192, 64)])
  const ratio = network.constant({ dtype: 'float32', shape: [], data: Float32Array.of(0.1) })
  return withFreeRows(
    network.bytes(network.node('Softmax', [dense(network, network.node('Dropout', [hidden, ratio]), 64, 10)])),
  )
}

const parameters = { epochs: 20, optimizer: 'adamw', learning_rate: 0.003, seed: 3, validation_split: 0.25 }
const options = await optionsOf({ bytes: classifier(), model, lines: digitLines(), parameters })
const whole = trainToEnd(options).then(trainer => trainer.finish())

test('digits are told at least 96 in 100, of those that were held out', async () => {
  const { card } = await whole
  assert.equal(card.data.held_out, 451)
  assert.ok((card.metrics?.accuracy ?? 0) >= 0.96, JSON.stringify(card.metrics))
  assert.ok((card.curves[0]?.validation?.accuracy ?? 1) < (card.metrics?.accuracy ?? 0))
})

test('a run that goes on from its checkpoints three times makes the same bytes', async t => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  t.diagnostic(`seed ${seed}`)
  const { model: expected, card } = await whole
  const steps = card.curves.at(-1)?.step ?? 0
  const broken = await (await trainToEnd(options, randomSteps(seed, 3, steps))).finish()
  assert.ok(Buffer.from(broken.model).equals(expected))
})
