/** Cases of operators that take elements by their place: convolution, pooling, slices, shapes. */
import { collectCases } from './operator-case.fixture.ts'

const { cases, weights, other } = collectCases()

export { cases as placeCases }

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
for (const pads of [
  [1n, 0n, 0n, 1n],
  [0n, 1n, 1n, 0n],
  [0n, 0n, 1n, 1n],
  [1n, 1n, 0n, 0n],
  [1n, 1n, 1n, 1n],
]) {
  for (const operator of ['MaxPool', 'AveragePool']) {
    const rounded = { kernel_shape: [3n, 3n], strides: [2n, 2n], pads, ceil_mode: 1n }
    weights(operator, `rounded up, with pads ${pads}`, [[1, 2, 5, 6]], rounded)
  }
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
