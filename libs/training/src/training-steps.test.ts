/** Steps of training: the optimizers by their formulas in float64, determinism, and going on from a state. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSessionOf } from '@millhand/onnxruntime'
import { evaluate, feedsOf } from './gradient-check.fixture.ts'
import { buildTrainingGraph, type Loss, type Optimizer, openTrainingSteps, type TrainingState } from './index.ts'
import { openNetwork } from './network.fixture.ts'
import { networkKinds } from './networks.fixture.ts'

const open = (bytes: Uint8Array) => openSessionOf(bytes, { threads: 1 })

function networkOf(kind: string) {
  const network = openNetwork({ seed: 3 })
  const { build, loss = 'mean_squared' as Loss } = networkKinds[kind] ?? {}
  return { model: network.bytes(build?.(network) ?? ''), batch: network.batch, loss }
}

/** Makes steps on one batch and resolves with the losses and the state. */
async function train(kind: string, optimizer: Optimizer, steps: number, from?: TrainingState) {
  const { model, batch, loss } = networkOf(kind)
  const training = await buildTrainingGraph(model, { loss, batch }, evaluate)
  const session = await open(training.bytes)
  const run = openTrainingSteps({ training, optimizer, session, seed: 17, ...(from && { from }) })
  const target = feedsOf(training, batch).get(training.target.name)?.data as Float32Array
  const losses: number[] = []
  for (let step = 0; step < steps; step += 1) losses.push(await run.step(batch, target, 0.05))
  return { training, losses, state: run.state() }
}

interface Formula {
  readonly optimizer: Optimizer
  /** The new weight by the old one, its gradient and what is carried, at a step. */
  next(weight: number, gradient: number, carried: number[], step: number): number
}

const adamStep = (weight: number, gradient: number, carried: number[], step: number): number => {
  const [m = 0, v = 0] = carried
  carried[0] = 0.8 * m + 0.2 * gradient
  carried[1] = 0.95 * v + 0.05 * gradient ** 2
  const size = (carried[0] as number) / (1 - 0.8 ** step)
  return weight - (0.05 * size) / (Math.sqrt((carried[1] as number) / (1 - 0.95 ** step)) + 0.05)
}
const adam = { beta1: 0.8, beta2: 0.95, epsilon: 0.05 }

const formulas: Readonly<Record<string, Formula>> = {
  sgd: { optimizer: { name: 'sgd' }, next: (weight, gradient) => weight - 0.05 * gradient },
  'sgd with momentum and decay': {
    optimizer: { name: 'sgd', momentum: 0.9, weightDecay: 0.1 },
    next(weight, gradient, carried) {
      carried[0] = 0.9 * (carried[0] ?? 0) + gradient + 0.1 * weight
      return weight - 0.05 * (carried[0] as number)
    },
  },
  adam: { optimizer: { name: 'adam', ...adam }, next: adamStep },
  'adam with decay': {
    optimizer: { name: 'adam', ...adam, weightDecay: 0.1 },
    next: (weight, gradient, carried, step) => adamStep(weight, gradient + 0.1 * weight, carried, step),
  },
  adamw: {
    optimizer: { name: 'adamw', ...adam, weightDecay: 0.1 },
    next: (weight, gradient, carried, step) => adamStep(weight, gradient, carried, step) - 0.05 * 0.1 * weight,
  },
}

for (const [name, { optimizer, next }] of Object.entries(formulas)) {
  test(`${name} makes the steps of its formula`, async () => {
    const kind = 'a perceptron with relu'
    const { model, batch, loss } = networkOf(kind)
    const graph = await buildTrainingGraph(model, { loss, batch }, evaluate)
    const feeds = feedsOf(graph, batch)
    const weights = Float64Array.from(graph.weights.initial)
    const carried = Array.from(weights, (): number[] => [])
    for (let step = 1; step <= 4; step += 1) {
      const data = Float32Array.from(weights)
      feeds.set(graph.weights.input, { dtype: 'float32', shape: [data.length], data })
      const gradients = (await evaluate(graph.bytes, feeds)).get(graph.gradients)?.data as Float32Array
      weights.forEach((weight, at) => {
        weights[at] = next(weight, gradients[at] as number, carried[at] as number[], step)
      })
    }
    const { state, training } = await train(kind, optimizer, 4)
    const own = state.vectors.get(training.weights.input) ?? new Float32Array()
    assert.equal(own.length, weights.length)
    for (const [at, weight] of weights.entries()) assert.ok(Math.abs((own[at] as number) - weight) < 2e-5, `${at}`)
  })
}

for (const kind of Object.keys(networkKinds)) {
  test(`${kind} learns a batch, with the same bits each time, also after an interruption`, async () => {
    const optimizer: Optimizer = { name: 'adamw', weightDecay: 0.01 }
    const whole = await train(kind, optimizer, 30)
    assert.ok((whole.losses.at(-1) as number) < (whole.losses[0] as number) * 0.9, `${whole.losses}`)
    assert.deepEqual((await train(kind, optimizer, 30)).state, whole.state)
    const first = await train(kind, optimizer, 11)
    assert.notDeepEqual(first.state, whole.state)
    const rest = await train(kind, optimizer, 19, first.state)
    assert.deepEqual(rest.state, whole.state)
  })
}

test('a step that fails is not counted', async () => {
  const { model, batch, loss } = networkOf('a perceptron with relu')
  const optimizer: Optimizer = { name: 'adam' }
  const training = await buildTrainingGraph(model, { loss, batch }, evaluate)
  const session = { run: () => Promise.reject(new Error('no memory')) }
  const run = openTrainingSteps({ training, optimizer, session, seed: 1 })
  await assert.rejects(run.step(batch, new Float32Array(), 0.1), /no memory/)
  assert.equal(run.state().step, 0)
})

test('a state of another graph is refused', async () => {
  const { state } = await train('a perceptron with relu', { name: 'sgd' }, 1)
  await assert.rejects(train('a perceptron with relu', { name: 'adam' }, 1, state), /of another training graph/)
  await assert.rejects(train('a bag of embeddings', { name: 'sgd' }, 1, state), /of another training graph/)
})

test('batch normalization moves its statistics as the operator says', async () => {
  const network = openNetwork({ seed: 4 })
  const numbers = (data: number[]) => network.constant({ dtype: 'float32', shape: [2], data: Float32Array.from(data) })
  const x = network.input('x', [3, 2, 2])
  const inputs = [x, network.weight([2]), network.weight([2]), numbers([1, 2]), numbers([3, 4])]
  const model = network.bytes(network.node('BatchNormalization', inputs, { momentum: 0.75 }))
  const optimizer: Optimizer = { name: 'sgd' }
  const training = await buildTrainingGraph(model, { loss: 'mean_squared', batch: network.batch }, evaluate)
  const run = openTrainingSteps({ training, optimizer, session: await open(training.bytes), seed: 1 })
  await run.step(network.batch, new Float32Array(12), 0.1)
  const values = network.batch.get('x')?.data as Float32Array
  const statistics = run.state().vectors.get(training.statistics.input) ?? new Float32Array()
  for (const channel of [0, 1]) {
    const of = [...values].filter((_, at) => Math.floor(at / 2) % 2 === channel)
    const mean = of.reduce((sum, each) => sum + each, 0) / of.length
    const variance = of.reduce((sum, each) => sum + (each - mean) ** 2, 0) / of.length
    assert.ok(Math.abs((statistics[channel] as number) - (0.75 * (channel + 1) + 0.25 * mean)) < 1e-6)
    assert.ok(Math.abs((statistics[channel + 2] as number) - (0.75 * (channel + 3) + 0.25 * variance)) < 1e-6)
  }
})
