/** Cases of operators that compute: arithmetic, activations, products, reductions, normalization. */
import type { Network } from './network.fixture.ts'
import { collectCases } from './operator-case.fixture.ts'

const { cases, weights, other } = collectCases()

export { cases as numberCases }

for (const operator of ['Add', 'Sub', 'Mul', 'Div']) {
  weights(
    operator,
    'of one shape',
    [
      [2, 3],
      [2, 3],
    ],
    {},
    [0.5, 2],
  )
  weights(
    operator,
    'with both broadcast',
    [
      [2, 1, 3],
      [4, 1],
    ],
    {},
    [0.5, 2],
  )
  weights(operator, 'with a vector', [[2, 4, 3], [3]], {}, [0.5, 2])
}
weights('Pow', 'with a variable exponent', [[2, 3], [3]], {}, [0.5, 2])
for (const exponent of [2, 3, 0.5, -1]) {
  other('Pow', `to ${exponent}`, network => {
    const constant = network.constant({ dtype: 'float32', shape: [], data: Float32Array.of(exponent) })
    return network.node('Pow', [network.weight([2, 3], 0.5, 2), constant])
  })
}
// Where the base is 0, x^(b - 1) may be infinite.
const withZeros = (network: Network) =>
  network.constant({ dtype: 'float32', shape: [2, 3], data: Float32Array.of(0, 0, 0, 0.5, 1, 2) })
const addOne = (network: Network, value: string) =>
  network.node('Add', [value, network.constant({ dtype: 'float32', shape: [], data: Float32Array.of(1) })])
for (const exponent of [0, 1, 2, 3]) {
  other('Pow', `of 0 to ${exponent}`, network => {
    const constant = network.constant({ dtype: 'float32', shape: [], data: Float32Array.of(exponent) })
    const base = withZeros(network)
    return addOne(network, network.node('Add', [network.node('Pow', [base, constant]), base]))
  })
}
other('Pow', 'of 0 to several exponents', network =>
  addOne(network, network.node('Pow', [withZeros(network), network.integers([0, 1, 3])])),
)
for (const operator of ['Neg', 'Erf', 'Relu', 'LeakyRelu', 'Sigmoid', 'Tanh', 'Exp', 'Identity', 'Gelu']) {
  weights(operator, 'of two axes', [[3, 4]], {}, [-2, 2])
}
for (const operator of ['Sqrt', 'Log']) weights(operator, 'of positive numbers', [[3, 4]], {}, [0.5, 3])
weights('LeakyRelu', 'with another slope', [[3, 4]], { alpha: 0.3 })
weights('Gelu', 'by tanh', [[3, 4]], { approximate: 'tanh' }, [-2, 2])
for (const operator of ['Softmax', 'LogSoftmax']) {
  weights(operator, 'over the last axis', [[3, 4]])
  weights(operator, 'over the middle axis', [[2, 3, 4]], { axis: 1n })
}
other('Where', 'with both broadcast', network => {
  const chosen = network.constant({ dtype: 'bool', shape: [2, 1, 3], data: Uint8Array.of(1, 0, 1, 0, 0, 1) })
  return network.node('Where', [chosen, network.weight([4, 1]), network.weight([2, 4, 3])])
})
other('Cast', 'to its own type', network => network.node('Cast', [network.weight([3])], { to: 1n }))

weights('MatMul', 'of matrices', [
  [2, 3],
  [3, 4],
])
weights('MatMul', 'of a batch and a matrix', [
  [2, 5, 3],
  [3, 4],
])
weights('MatMul', 'of batches', [
  [2, 5, 3],
  [2, 3, 4],
])
weights('MatMul', 'of batches that are broadcast', [
  [2, 1, 5, 3],
  [4, 3, 2],
])
weights('MatMul', 'of a matrix and a batch', [
  [5, 3],
  [2, 3, 4],
])
weights('MatMul', 'of a vector and a matrix', [[3], [3, 4]])
weights('MatMul', 'of a matrix and a vector', [[4, 3], [3]])
weights('MatMul', 'of a vector and a batch', [[3], [2, 3, 4]])
weights('MatMul', 'of a batch and a vector', [[2, 4, 3], [3]])
for (const transA of [0n, 1n]) {
  for (const transB of [0n, 1n]) {
    const [a, b] = [transA ? [3, 2] : [2, 3], transB ? [4, 3] : [3, 4]]
    weights('Gemm', `transposed ${transA}${transB}`, [a, b, [4]], { transA, transB, alpha: 0.5, beta: 2 })
  }
}
weights('Gemm', 'without an addend', [
  [2, 3],
  [3, 4],
])

for (const opset of [17, 18]) {
  for (const operator of ['ReduceSum', 'ReduceMean', 'ReduceMax']) {
    for (const keepdims of [0n, 1n]) {
      other(
        operator,
        `of two axes, keepdims ${keepdims}, version ${opset}`,
        network => {
          const x = network.weight([2, 3, 4])
          if (opset < 18 && operator !== 'ReduceSum') return network.node(operator, [x], { axes: [0n, -1n], keepdims })
          return network.node(operator, [x, network.integers([0, -1])], { keepdims })
        },
        opset,
      )
    }
    other(operator, `of all, version ${opset}`, network => network.node(operator, [network.weight([2, 3])]), opset)
  }
}

weights('LayerNormalization', 'over the last axis', [[2, 3, 5], [5], [5]])
weights(
  'LayerNormalization',
  'over two axes',
  [
    [2, 3, 5],
    [3, 5],
    [3, 5],
  ],
  { axis: 1n, epsilon: 0.01 },
)
weights('LayerNormalization', 'without a bias', [[4, 5], [5]])
weights('LpNormalization', 'of squares', [[3, 5]])
weights('LpNormalization', 'of squares over the first of three axes', [[3, 2, 4]], { axis: 0n, p: 2n })
weights('LpNormalization', 'of magnitudes', [[2, 3, 4]], { axis: -2n, p: 1n })
const statistics = (network: Network, channels: number) => [
  network.constant({ dtype: 'float32', shape: [channels], data: new Float32Array(channels) }),
  network.constant({ dtype: 'float32', shape: [channels], data: new Float32Array(channels).fill(1) }),
]
for (const shape of [
  [5, 3],
  [3, 2, 4],
  [2, 3, 2, 3],
]) {
  other('BatchNormalization', `of ${shape.length} axes`, network => {
    const channels = shape[1] as number
    const learned = [network.weight(shape), network.weight([channels]), network.weight([channels])]
    return network.node('BatchNormalization', [...learned, ...statistics(network, channels)])
  })
}
