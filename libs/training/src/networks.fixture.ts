/** Small networks of the kinds that are trained. Each adds itself to a network and returns its output. */
import type { Loss } from './loss.ts'
import type { Network } from './network.fixture.ts'

export interface NetworkKind {
  readonly loss: Loss
  build(network: Network): string
}

export const networkKinds: Readonly<Record<string, NetworkKind>> = {
  'a perceptron with relu': {
    loss: 'cross_entropy',
    build: network => dense(network, network.node('Relu', [dense(network, network.input('x', [5, 6]), 6, 8)]), 8, 4),
  },
  'a perceptron with a sigmoid at its end': {
    loss: 'binary_cross_entropy',
    build: network => dense(network, network.node('Tanh', [dense(network, network.input('x', [4, 5]), 5, 7)]), 7, 2),
  },
  'a perceptron with dropout': {
    loss: 'mean_squared',
    build(network) {
      const hidden = network.node('LeakyRelu', [dense(network, network.input('x', [4, 5]), 5, 9)], { alpha: 0.1 })
      return dense(network, network.node('Dropout', [hidden]), 9, 3)
    },
  },
  'a convolutional network with pooling': {
    loss: 'cross_entropy',
    build(network) {
      const first = convolution(network, network.input('x', [2, 1, 8, 8]), 1, 3, { pads: [1n, 1n, 1n, 1n] })
      const pooled = network.node('MaxPool', [network.node('Relu', [first])], {
        kernel_shape: [2n, 2n],
        strides: [2n, 2n],
      })
      const second = network.node('Relu', [convolution(network, pooled, 3, 4)])
      return dense(network, network.node('Flatten', [second]), 16, 3)
    },
  },
  'a residual block with batch normalization': {
    loss: 'cross_entropy',
    build(network) {
      const same = { pads: [1n, 1n, 1n, 1n] }
      const x = network.node('Relu', [
        normalized(network, convolution(network, network.input('x', [3, 2, 5, 5]), 2, 3, same), 3),
      ])
      const first = network.node('Relu', [normalized(network, convolution(network, x, 3, 3, same), 3)])
      const second = normalized(network, convolution(network, first, 3, 3, same), 3)
      const sum = network.node('Relu', [network.node('Add', [second, x])])
      return dense(network, network.node('Flatten', [network.node('GlobalAveragePool', [sum])]), 3, 3)
    },
  },
  'a network of separable convolutions': {
    loss: 'mean_squared',
    build(network) {
      const x = network.input('x', [2, 4, 6, 6])
      const depth = convolution(network, x, 1, 4, { group: 4n, strides: [2n, 2n], pads: [1n, 1n, 1n, 1n] })
      const point = network.node('Gelu', [network.node('Conv', [depth, network.weight([5, 4, 1, 1])])])
      const pooled = network.node('AveragePool', [point], { kernel_shape: [2n, 2n], pads: [0n, 0n, 1n, 1n] })
      return dense(network, network.node('Flatten', [pooled]), 45, 3)
    },
  },
  'a convolution over embedded tokens': {
    loss: 'cross_entropy',
    build(network) {
      const tokens = network.input('tokens', [2, 6], [1, 4, 2, 0, 1, 3, 2, 2, 5, 6, 0, 1])
      const embedded = network.node('Gather', [network.weight([7, 4]), tokens])
      const channels = network.node('Transpose', [embedded], { perm: [0n, 2n, 1n] })
      const wide = network.node('Conv', [channels, network.weight([5, 4, 3]), network.weight([5])], { pads: [1n, 1n] })
      const best = network.node('GlobalMaxPool', [network.node('Relu', [wide])])
      return dense(network, network.node('Squeeze', [best, network.integers([2])]), 5, 3)
    },
  },
  'a bag of embeddings': {
    loss: 'binary_cross_entropy',
    build(network) {
      const tokens = network.input('tokens', [3, 4], [1, 2, 0, 0, 3, 3, 1, 0, 4, 0, 0, 0])
      const present = network.node('Cast', [network.node('Greater', [tokens, network.integers([0])])], { to: 1n })
      const mask = network.node('Unsqueeze', [present, network.integers([-1])])
      const embedded = network.node('Mul', [network.node('Gather', [network.weight([5, 4]), tokens]), mask])
      const sum = network.node('ReduceSum', [embedded, network.integers([1])], { keepdims: 0n })
      const count = network.node('ReduceSum', [mask, network.integers([1])], { keepdims: 0n })
      return dense(network, network.node('Div', [sum, count]), 4, 2)
    },
  },
  'a transformer encoder layer': {
    loss: 'cross_entropy',
    build(network) {
      const x = network.input('x', [2, 3, 8])
      const attended = layerNormalized(network, network.node('Add', [x, attention(network, x)]))
      const wide = network.node('Gelu', [affine(network, attended, 8, 10)])
      const out = layerNormalized(network, network.node('Add', [attended, affine(network, wide, 10, 8)]))
      const first = network.constant({ dtype: 'int64', shape: [], data: BigInt64Array.of(0n) })
      return affine(network, network.node('Gather', [out, first], { axis: 1n }), 8, 3)
    },
  },
  'normalization and gelu of plain arithmetic': {
    loss: 'mean_squared',
    build(network) {
      const x = affine(network, network.input('x', [3, 4]), 4, 6)
      const number = (value: number) => network.constant({ dtype: 'float32', shape: [], data: Float32Array.of(value) })
      const mean = network.node('ReduceMean', [x, network.integers([-1])])
      const centred = network.node('Sub', [x, mean])
      const square = network.node('Pow', [centred, number(2)])
      const variance = network.node('Add', [network.node('ReduceMean', [square, network.integers([-1])]), number(1e-5)])
      const scaled = network.node('Mul', [
        network.node('Div', [centred, network.node('Sqrt', [variance])]),
        network.weight([6]),
      ])
      const curve = network.node('Add', [
        network.node('Erf', [network.node('Div', [scaled, number(Math.SQRT2)])]),
        number(1),
      ])
      const gelu = network.node('Mul', [network.node('Mul', [scaled, curve]), number(0.5)])
      return affine(network, gelu, 6, 2)
    },
  },
}

/** x Wᵀ + b. */
export const dense = (network: Network, x: string, inputs: number, outputs: number): string => {
  const range = Math.sqrt(3 / inputs)
  return network.node('Gemm', [x, network.weight([outputs, inputs], -range, range), network.weight([outputs])], {
    transB: 1n,
  })
}

/** x W + b. */
export const affine = (network: Network, x: string, inputs: number, outputs: number): string =>
  network.node('Add', [network.node('MatMul', [x, network.weight([inputs, outputs])]), network.weight([outputs])])

type Windows = Parameters<Network['node']>[2]

/** Of 3 × 3, with a bias. */
export const convolution = (
  network: Network,
  x: string,
  channels: number,
  outputs: number,
  windows: Windows = {},
): string => {
  const range = Math.sqrt(3 / (channels * 9))
  const weights = network.weight([outputs, channels, 3, 3], -range, range)
  return network.node('Conv', [x, weights, network.weight([outputs])], windows)
}

function normalized(network: Network, x: string, channels: number): string {
  const numbers = (value: number) =>
    network.constant({ dtype: 'float32', shape: [channels], data: new Float32Array(channels).fill(value) })
  return network.node('BatchNormalization', [
    x,
    network.weight([channels]),
    network.weight([channels]),
    numbers(0),
    numbers(1),
  ])
}

/** Of eight numbers. */
export const layerNormalized = (network: Network, x: string): string =>
  network.node('LayerNormalization', [x, network.weight([8]), network.weight([8])])

/** Two heads of four, with a shape that is computed, as exporters write it. */
function attention(network: Network, x: string): string {
  const [q = '', k = '', v = ''] = network.nodes('Split', [affine(network, x, 8, 24)], 3, {
    axis: -1n,
    num_outputs: 3n,
  })
  const batch = network.node('Slice', [network.node('Shape', [x]), network.integers([0]), network.integers([2])])
  const apart = network.node('Concat', [batch, network.integers([2, 4])], { axis: 0n })
  const headsOf = (value: string, perm: readonly bigint[]) =>
    network.node('Transpose', [network.node('Reshape', [value, apart])], { perm })
  const scores = network.node('MatMul', [headsOf(q, [0n, 2n, 1n, 3n]), headsOf(k, [0n, 2n, 3n, 1n])])
  const half = network.constant({ dtype: 'float32', shape: [], data: Float32Array.of(0.5) })
  const shares = network.node('Softmax', [network.node('Mul', [scores, half])], { axis: -1n })
  const mixed = network.node('Transpose', [network.node('MatMul', [shares, headsOf(v, [0n, 2n, 1n, 3n])])], {
    perm: [0n, 2n, 1n, 3n],
  })
  const together = network.node('Concat', [batch, network.integers([8])], { axis: 0n })
  return affine(network, network.node('Reshape', [mixed, together]), 8, 8)
}
