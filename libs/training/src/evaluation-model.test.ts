/** A model whose weights are inputs predicts what the model itself does, also with dropout and normalization. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Tensor } from '@millhand/model'
import { evaluationModel } from './evaluation-model.ts'
import { evaluate } from './gradient-check.fixture.ts'
import { openNetwork } from './network.fixture.ts'
import { networkKinds } from './networks.fixture.ts'
import { trainedModel } from './trained-model.ts'
import { buildTrainingGraph } from './training-graph.ts'

for (const [what, { loss, build }] of Object.entries(networkKinds)) {
  test(what, async () => {
    const network = openNetwork({ seed: 4 })
    const bytes = network.bytes(build(network))
    const training = await buildTrainingGraph(bytes, { loss, batch: network.batch }, evaluate)
    const vectors = [training.weights, training.statistics].map(({ input, length, initial }) => {
      // Other ones than the file has.
      const data = initial.map(value => 1.01 * value)
      return [input, { dtype: 'float32', shape: [length], data }] satisfies [string, Tensor]
    })
    const given = vectors.filter(([, { data }]) => data.length > 0)
    const predicted = await evaluate(evaluationModel(bytes, training), new Map([...network.batch, ...given]))
    const state = { step: 1, vectors: new Map(vectors.map(([name, { data }]) => [name, data])) }
    const [expected] = (await evaluate(trainedModel(bytes, training, state), network.batch)).values()
    const actual = predicted.get(training.prediction.name)?.data as Float32Array
    assert.equal(actual.length, expected?.data.length)
    actual.forEach((value, at) => {
      const difference = Math.abs(value - Number(expected?.data[at]))
      assert.ok(difference <= 1e-5 * Math.max(1, Math.abs(value)), `${value}, not ${expected?.data[at]}`)
    })
  })
}
