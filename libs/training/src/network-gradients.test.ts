/** The gradients of whole networks, against finite differences in float64. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkGradients } from './gradient-check.fixture.ts'
import { openNetwork } from './network.fixture.ts'
import { networkKinds } from './networks.fixture.ts'

for (const [name, { loss, build }] of Object.entries(networkKinds)) {
  test(name, async () => {
    const network = openNetwork({ seed: 11 })
    await checkGradients({ network, output: build(network), loss, most: 6 })
  })
}

test('only what is named is trained', async () => {
  const network = openNetwork({ seed: 11 })
  const output = networkKinds['a perceptron with relu']?.build(network) ?? ''
  const training = await checkGradients({ network, output, loss: 'cross_entropy', trained: ['w4', 'w5'] })
  assert.deepEqual(
    training.weights.tensors.map(({ name, shape }) => [name, shape]),
    [
      ['w4', [4, 8]],
      ['w5', [4]],
    ],
  )
})
