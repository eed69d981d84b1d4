/** What a training graph is built of, and the models that it is refused for. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkGradients, evaluate, feedsOf } from './gradient-check.fixture.ts'
import { buildTrainingGraph, type Loss, TrainingRefused } from './index.ts'
import { type Network, openNetwork } from './network.fixture.ts'

interface Refused {
  readonly what: string
  add(network: Network): string
  readonly message: RegExp
  readonly opset?: number
  readonly loss?: Loss
}

const float = (network: Network, values: number[], shape = [values.length]) =>
  network.constant({ dtype: 'float32', shape, data: Float32Array.from(values) })

const refused: readonly Refused[] = [
  {
    what: 'an operator outside the list',
    add: network => network.node('Relu', [network.node('Sin', [network.weight([2, 3])])]),
    message: /^the node "n1" \(Sin\) is of an operator that is not differentiated$/,
  },
  {
    what: 'operators that are too old',
    add: network => network.node('Relu', [network.weight([2, 3])]),
    opset: 12,
    message: /^the operators are of version 12, older than 13$/,
  },
  {
    what: 'an output that nothing trained leads to',
    add: network => network.node('Relu', [network.input('x', [2, 3])]),
    message: /^the output "n0" depends on nothing that is trained$/,
  },
  {
    what: 'a cast to another type of float',
    add(network) {
      const double = network.node('Cast', [network.weight([3])], { to: 11n })
      return network.node('Cast', [network.node('Tanh', [double])], { to: 1n })
    },
    message: /\(Cast\) casts what is trained to another type than float32$/,
  },
  {
    what: 'axes that the batch decides',
    add(network) {
      const axis = network.input('axis', [1], [0])
      return network.node('ReduceSum', [network.weight([2, 3]), axis])
    },
    message: /^the node "n1" \(ReduceSum\) has an input "axis" that is not constant$/,
  },
  {
    what: 'windows that overlap, with old operators',
    add: network => network.node('MaxPool', [network.weight([1, 1, 4, 4])], { kernel_shape: [2n, 2n] }),
    opset: 15,
    message: /\(MaxPool\) has windows that overlap, which needs operators of version 16$/,
  },
  ...['MaxPool', 'AveragePool'].map(operator => ({
    what: `a window of ${operator} that begins in padding`,
    add: (network: Network) =>
      network.node(operator, [network.weight([1, 1, 6, 6])], {
        ...{ kernel_shape: [3n, 3n], strides: [2n, 3n], pads: [0n, 0n, 1n, 1n], ceil_mode: 1n },
      }),
    message: new RegExp(`\\(${operator}\\) rounds up to a window that begins in padding$`),
  })),
  {
    what: 'a mean of layer normalization that is used',
    add(network) {
      const inputs = [network.weight([2, 3]), network.weight([3]), network.weight([3])]
      return network.node('Add', network.nodes('LayerNormalization', inputs, 2))
    },
    message: /\(LayerNormalization\) has a second output that the loss depends on$/,
  },
  {
    what: 'a mask of dropout that is used',
    add(network) {
      const [y = '', mask = ''] = network.nodes('Dropout', [network.weight([2, 3])], 2)
      return network.node('Where', [mask, y, network.weight([2, 3])])
    },
    message: /\(Dropout\) gives its mask to another node$/,
  },
]

for (const { what, add, message, opset = 20, loss = 'mean_squared' } of refused) {
  test(`${what} is refused`, async () => {
    const network = openNetwork({ opset })
    const model = network.bytes(add(network))
    await assert.rejects(buildTrainingGraph(model, { loss, batch: network.batch }, evaluate), error => {
      assert.ok(error instanceof TrainingRefused)
      assert.match(error.message, message)
      return true
    })
  })
}

test('an operator outside the list is no fault where nothing trained goes through it', async () => {
  const network = openNetwork()
  const frozen = network.node('Sin', [network.input('x', [4, 3])])
  await checkGradients({ network, output: network.node('Gemm', [frozen, network.weight([3, 2])]) })
})

test('classes along another axis than the last are refused', async () => {
  const network = openNetwork()
  const model = network.bytes(network.node('Softmax', [network.weight([2, 3, 4])], { axis: 1n }))
  const built = buildTrainingGraph(model, { loss: 'cross_entropy', batch: network.batch }, evaluate)
  await assert.rejects(built, /\(Softmax\) has its classes along another axis than the last$/)
})

for (const [last, loss] of [
  ['Softmax', 'cross_entropy'],
  ['LogSoftmax', 'cross_entropy'],
  ['Sigmoid', 'binary_cross_entropy'],
] as const) {
  test(`${loss} takes what goes into ${last}`, async () => {
    const results = await Promise.all(
      [true, false].map(async withLast => {
        const network = openNetwork({ seed: 9 })
        const logits = network.node('Gemm', [network.input('x', [4, 3]), network.weight([3, 3])])
        const model = network.bytes(withLast ? network.node(last, [logits]) : logits)
        const training = await buildTrainingGraph(model, { loss, batch: network.batch }, evaluate)
        return [...(await evaluate(training.bytes, feedsOf(training, network.batch))).values()]
      }),
    )
    assert.deepEqual(results[0], results[1])
  })
}

/** The gradient for one weight of a network. */
async function gradientOf(network: Network, output: string): Promise<number[]> {
  const options = { loss: 'mean_squared' as const, batch: network.batch }
  const training = await buildTrainingGraph(network.bytes(output), options, evaluate)
  const feeds = feedsOf(training, network.batch)
  const { name, dtype, shape } = training.target
  feeds.set(name, { dtype, shape, data: new Float32Array(shape.reduce((product, length) => product * length, 1)) })
  const gradients = (await evaluate(training.bytes, feeds)).get(training.gradients)
  return Array.from((gradients?.data ?? []) as Float32Array)
}

for (const [operator, shape] of [
  ['ReduceMax', [2, 2]],
  ['GlobalMaxPool', [1, 1, 4]],
] as const) {
  test(`equal largest numbers share the gradient of ${operator}`, async () => {
    const network = openNetwork()
    const x = float(network, [1, 3, 3, 2], [...shape])
    // The loss is 3², so its gradient for the largest is 6.
    assert.deepEqual(await gradientOf(network, network.node(operator, [x])), [0, 3, 3, 0])
  })
}

test('relu has no slope at 0', async () => {
  const network = openNetwork()
  const sum = network.node('Add', [network.node('Relu', [float(network, [0, 2])]), float(network, [1, 1])])
  assert.deepEqual(await gradientOf(network, sum), [0, 3, 1, 3])
})

test('a maximum over no axes has the gradient of what it is', async () => {
  const network = openNetwork()
  const inputs = [float(network, [1, 2, 2]), network.integers([])]
  const output = network.node('ReduceMax', inputs, { noop_with_empty_axes: 1n })
  // Of 3 squares, so a third of twice each.
  const slopes = (await gradientOf(network, output)).map(slope => Math.round(slope * 3))
  assert.deepEqual(slopes, [2, 4, 4])
})

test('batch normalization trains a scale and a bias that come through other nodes', async () => {
  const network = openNetwork()
  const [scale, bias] = [0, 1].map(() => network.node('Identity', [network.weight([2])])) as [string, string]
  const statistics = [float(network, [0, 0]), float(network, [1, 4])]
  const inputs = [network.input('x', [3, 2, 2]), scale, bias, ...statistics]
  const output = network.node('BatchNormalization', inputs)
  const slopes = await gradientOf(network, output)
  assert.ok(slopes.length === 4 && slopes.every(slope => Math.abs(slope) > 0), `${slopes}`)
})

test('batch normalization with a frozen scale and bias works as in inference', async () => {
  const network = openNetwork()
  const inputs = [
    network.weight([3, 2]),
    ...[
      [2, 3],
      [0, 0],
      [0, 0],
      [1, 4],
    ].map(each => float(network, each)),
  ]
  const output = network.node('BatchNormalization', inputs, { epsilon: 0 })
  const options = { loss: 'mean_squared' as const, batch: network.batch, trained: [inputs[0] as string] }
  const training = await buildTrainingGraph(network.bytes(output), options, evaluate)
  assert.equal(training.statistics.length, 0)
  const feeds = feedsOf(training, network.batch)
  const gradients = (await evaluate(training.bytes, feeds)).get(training.gradients)?.data as Float32Array
  const targets = feeds.get(training.target.name)?.data as Float32Array
  training.weights.initial.forEach((x, at) => {
    const slope = at % 2 === 0 ? 2 : 3 / 2
    const expected = ((2 * (slope * x - (targets[at] as number))) / 6) * slope
    assert.ok(Math.abs((gradients[at] as number) - expected) < 1e-5, `${gradients[at]}, not ${expected}`)
  })
})
