/** The gradient of every operator that is trained, against finite differences in float64. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differentiableOperators } from './differentiable-operators.ts'
import { checkGradients } from './gradient-check.fixture.ts'
import type { Attributes } from './graph-writer.ts'
import { type Network, openNetwork } from './network.fixture.ts'

interface Case {
  readonly operator: string
  readonly what: string
  /** Adds the operator with its inputs, and returns its output. */
  add(network: Network): string
  readonly opset?: number
}

const cases: Case[] = []

/** An operator whose inputs are weights of these shapes. */
function weights(
  operator: string,
  what: string,
  shapes: number[][],
  attributes: Attributes = {},
  range: [number, number] = [-1, 1],
) {
  cases.push({
    operator,
    what,
    add: network =>
      network.node(
        operator,
        shapes.map(shape => network.weight(shape, ...range)),
        attributes,
      ),
  })
}

const other = (operator: string, what: string, add: Case['add'], opset?: number) =>
  cases.push({ operator, what, add, ...(opset !== undefined && { opset }) })

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

weights('Conv', 'of one axis', [[2, 3, 7], [4, 3, 3], [4]], { pads: [1n, 1n], strides: [2n] })
weights('Conv', 'of two axes', [[2, 2, 5, 6], [3, 2, 3, 2], [3]])
weights(
  'Conv',
  'with strides that leave a rest',
  [
    [2, 2, 6, 8],
    [3, 2, 3, 3],
  ],
  { strides: [2n, 3n] },
)
weights(
  'Conv',
  'with uneven pads and dilations',
  [
    [2, 2, 6, 7],
    [3, 2, 2, 3],
  ],
  { pads: [1n, 0n, 2n, 1n], dilations: [2n, 2n], strides: [1n, 2n] },
)
weights('Conv', 'of groups', [[2, 4, 5, 5], [6, 2, 3, 3], [6]], {
  group: 2n,
  pads: [1n, 1n, 1n, 1n],
  strides: [2n, 2n],
})
weights(
  'Conv',
  'of each channel',
  [
    [2, 3, 5, 5],
    [3, 1, 3, 3],
  ],
  { group: 3n },
)
weights(
  'Conv',
  'of one element',
  [
    [2, 3, 4, 4],
    [5, 3, 1, 1],
  ],
  { strides: [2n, 2n] },
)
for (const side of ['SAME_UPPER', 'SAME_LOWER', 'VALID']) {
  weights(
    'Conv',
    `padded ${side}`,
    [
      [1, 2, 6, 5],
      [2, 2, 2, 3],
    ],
    { auto_pad: side, strides: [2n, 1n] },
  )
}
const two = { kernel_shape: [2n, 2n], strides: [2n, 2n] }
for (const operator of ['MaxPool', 'AveragePool']) {
  weights(operator, 'of one axis', [[2, 3, 6]], { kernel_shape: [2n], strides: [2n] })
  weights(operator, 'without overlap', [[2, 3, 4, 6]], two)
  weights(operator, 'with a rest', [[2, 3, 5, 7]], two)
  weights(operator, 'with overlap and pads', [[2, 2, 5, 5]], {
    kernel_shape: [3n, 3n],
    strides: [2n, 1n],
    pads: [1n, 1n, 1n, 0n],
  })
  weights(operator, 'rounded up', [[1, 2, 5, 5]], { ...two, ceil_mode: 1n })
  weights(operator, 'padded to the same size', [[1, 2, 5, 5]], {
    kernel_shape: [3n, 3n],
    auto_pad: 'SAME_UPPER',
    strides: [2n, 2n],
  })
}
weights('AveragePool', 'that counts padding', [[1, 2, 4, 4]], {
  kernel_shape: [3n, 3n],
  pads: [1n, 1n, 1n, 1n],
  count_include_pad: 1n,
})
for (const operator of ['GlobalAveragePool', 'GlobalMaxPool']) {
  weights(operator, 'of one axis', [[2, 3, 5]])
  weights(operator, 'of two axes', [[2, 3, 3, 4]])
}

for (const opset of [14, 20]) {
  for (const axis of [0, 1, -1]) {
    other(
      'Gather',
      `along ${axis} with indices that repeat, version ${opset}`,
      network =>
        network.node('Gather', [network.weight([4, 3, 5]), network.integers([2, 0, 2, -1], [2, 2])], {
          axis: BigInt(axis),
        }),
      opset,
    )
  }
}
other('Gather', 'of one index', network =>
  network.node('Gather', [
    network.weight([4, 3]),
    network.constant({ dtype: 'int64', shape: [], data: BigInt64Array.of(1n) }),
  ]),
)
other('Reshape', 'with a length to infer', network =>
  network.node('Reshape', [network.weight([2, 6]), network.integers([0, 3, -1])]),
)
other('Reshape', 'to the shape of another', network =>
  network.node('Reshape', [network.weight([2, 6]), network.node('Shape', [network.weight([3, 4])])]),
)
weights('Flatten', 'from the first axis', [[2, 3, 4]])
weights('Flatten', 'from the last axis', [[2, 3, 4]], { axis: -1n })
weights('Transpose', 'of all axes', [[2, 3, 4]])
weights('Transpose', 'in an order', [[2, 3, 4]], { perm: [1n, 2n, 0n] })
other('Squeeze', 'of one axis', network =>
  network.node('Squeeze', [network.weight([2, 1, 3, 1]), network.integers([1])]),
)
weights('Squeeze', 'of all', [[1, 3, 1]])
other('Unsqueeze', 'of two axes', network =>
  network.node('Unsqueeze', [network.weight([2, 3]), network.integers([0, -1])]),
)
other('Expand', 'of two axes', network =>
  network.node('Expand', [network.weight([2, 1, 3]), network.integers([5, 1, 4, 1])]),
)
weights(
  'Concat',
  'of three',
  [
    [2, 3],
    [2, 1],
    [2, 4],
  ],
  { axis: 1n },
)
other('Concat', 'of one twice', network => {
  const once = network.weight([2, 3])
  return network.node('Concat', [once, once], { axis: -2n })
})
other('Split', 'of which one part is used', network => {
  const [, used = ''] = network.nodes('Split', [network.weight([2, 6]), network.integers([1, 3, 2])], 3, { axis: 1n })
  return network.node('Tanh', [used])
})
other(
  'Split',
  'in equal parts, version 13',
  network => {
    const [a = '', b = ''] = network.nodes('Split', [network.weight([4, 2])], 2)
    return network.node('Mul', [a, b])
  },
  13,
)
const slices: [string, number[], number[], number[] | undefined, number[] | undefined][] = [
  ['of two axes', [1, 0], [3, 2], undefined, undefined],
  ['counted from the end', [-3], [-1], [1], undefined],
  ['to beyond the end', [2], [1000], [-1], [1]],
  ['with steps', [1, 0], [5, 4], [1, 0], [2, 3]],
  ['of everything', [0], [4], [0], undefined],
]
for (const [what, starts, ends, axes, steps] of slices) {
  other('Slice', what, network => {
    const given = [starts, ends, axes, steps].filter(each => each !== undefined).map(each => network.integers(each))
    return network.node('Slice', [network.weight([4, 5]), ...given])
  })
}
other('Dropout', 'with a ratio', network =>
  network.node('Dropout', [
    network.weight([4, 5]),
    network.constant({ dtype: 'float32', shape: [], data: Float32Array.of(0.3) }),
  ]),
)
other('Dropout', 'with the usual ratio', network => network.node('Dropout', [network.weight([4, 5])]))

for (const { operator, what, add, opset = 20 } of cases) {
  test(`${operator} ${what}`, async () => {
    const network = openNetwork({ seed: 7, opset })
    // So that the weights are used twice, and the operator is neither first nor last.
    const output = add(network)
    await checkGradients({ network, output: network.node('Mul', [output, output]) })
  })
}

test('every operator has a case', () => {
  const missing = [...differentiableOperators.keys()].filter(name => !cases.some(({ operator }) => operator === name))
  assert.deepEqual(missing, [])
})
