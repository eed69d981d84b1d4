import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  count,
  FLOAT,
  field,
  graph,
  mapOf,
  model,
  node,
  optionalOf,
  sequenceOf,
  tensorOf,
  value,
  varint,
} from './onnx-bytes.fixture.ts'
import { OnnxInvalid } from './onnx-file.ts'
import { inspectOnnx } from './onnx-inspection.ts'

const many = (length: number, make: (index: number) => Buffer) => Array.from({ length }, (_, index) => make(index))
const nested = (depth: number): Buffer =>
  depth === 0
    ? graph()
    : graph({ nodes: [node('If', '', Buffer.concat([field(1, 'b'), field(6, nested(depth - 1))]))] })

describe('what is refused of an uploaded file', () => {
  for (const [name, bytes, said] of [
    ['nothing', Buffer.alloc(0), /no graph/],
    ['text', Buffer.from('This is no model, it is a sentence.'), /broken|cut off/],
    ['zeros', Buffer.alloc(4096), /broken/],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), /broken|cut off/],
    ['a zip file', Buffer.from('504b0304140000000800', 'hex'), /broken|cut off/],
    ['the ORT format', Buffer.from('\x20\0\0\0ORTM\0\0\0\0'), /ORT format/],
    ['a model cut off', model().subarray(0, 40), /cut off/],
    ['a length beyond the file', Buffer.concat([varint(7 * 8 + 2), varint(2 ** 31)]), /cut off/],
    ['a length of 64 bits', Buffer.concat([varint(7 * 8 + 2), Buffer.alloc(9, 0xff), Buffer.from([1])]), /broken/],
    [
      'names that take more than 64 KiB together',
      model({ outputs: many(200, index => value(`${index}`.padEnd(400, 'y'))) }),
      /inputs and outputs take more than 64 KiB/,
    ],
    [
      'operators that take more than 256 KiB together',
      model({ nodes: many(600, index => node(`${index}`.padEnd(500, 'o'))) }),
      /operators take more than 256 KiB/,
    ],
    ['two graphs', model({}, field(7, graph())), /written twice/],
    [
      'graphs nested without end',
      model({ nodes: [node('If', '', Buffer.concat([field(6, nested(60))]))] }),
      /too deeply/,
    ],
    ['no outputs', model({ outputs: [] }), /no outputs/],
    [
      'external data',
      model({ initializers: [Buffer.concat([field(8, 'w'), field(13, field(1, 'location'))])] }),
      /external data/,
    ],
    ['data located outside', model({ initializers: [Buffer.concat([field(8, 'w'), count(14, 1)])] }), /external data/],
    ['a compiled context', model({ nodes: [node('EPContext', 'com.microsoft')] }), /EPContext/],
    ['Python', model({ nodes: [node('PyOp', 'com.microsoft')] }), /PyOp/],
    [
      'a custom operator',
      model({ nodes: [node('Steal', 'evil.example')] }),
      /operator Steal of the domain evil\.example/,
    ],
    [
      'a custom operator in a branch',
      model({ nodes: [node('If', '', Buffer.concat([field(6, graph({ nodes: [node('Hidden', 'evil')] }))]))] }),
      /operator Hidden/,
    ],
    [
      'a custom operator in a function',
      model({}, field(25, field(1, 'F'), field(7, node('Hidden', 'evil')), field(10, 'mine'))),
      /operator Hidden/,
    ],
    ['an operator with a name of 1 MB', model({ nodes: [node('x'.repeat(2 ** 20))] }), /very long name/],
    ['an input with a name of 1 MB', model({ inputs: [value('x'.repeat(2 ** 20))] }), /longer than 512/],
    ['an input without a name', model({ inputs: [value('')] }), /no name/],
    ['two inputs of one name', model({ inputs: [value('x'), value('x')] }), /two inputs named `x`/],
    ['too many inputs', model({ inputs: many(1_001, at => value(`x${at}`)) }), /more than 1000 inputs/],
    ['too many dimensions', model({ inputs: [value('x', tensorOf(FLOAT, Array(17).fill(1)))] }), /16 dimensions/],
    ['a length of 2^31', model({ inputs: [value('x', tensorOf(FLOAT, [2 ** 31]))] }), /2\^31/],
    [
      'a sequence in',
      model({ inputs: [value('x', sequenceOf(tensorOf(FLOAT)))] }),
      /`x` is a sequence.*but received a tensor/,
    ],
    [
      'an optional of a sequence in',
      model({ inputs: [value('x', optionalOf(sequenceOf(tensorOf(FLOAT))))] }),
      /`x` is an optional of something else/,
    ],
    ['an optional of bfloat16 in', model({ inputs: [value('x', optionalOf(tensorOf(16)))] }), /a tensor of bfloat16/],
    ['a map in', model({ inputs: [value('x', mapOf(tensorOf(FLOAT)))] }), /`x` is a map/],
    ['a map as the only output', model({ outputs: [value('y', mapOf(tensorOf(FLOAT)))] }), /`y` is a map/],
    ['int4 in', model({ inputs: [value('x', tensorOf(22))] }), /tensor of int4.*Tensor\.type is not supported/],
    [
      'bfloat16 out',
      model({ outputs: [value('y'), value('z', tensorOf(16))] }),
      /`z` is a tensor of bfloat16.*Unsupported/,
    ],
    ['complex numbers', model({ inputs: [value('x', tensorOf(14))] }), /complex64/],
    ['an element type that is none', model({ inputs: [value('x', tensorOf(99))] }), /element type 99/],
    [
      'an operator set of version 0',
      model({}, field(8, field(1, 'ai.onnx.ml'), count(2, 0))),
      /version of the operator set/,
    ],
    ['very many different operators', model({ nodes: many(1_001, at => node(`Op${at}`)) }), /different operators/],
  ] as const) {
    it(name, () => {
      assert.throws(
        () => inspectOnnx(bytes),
        (error: unknown) => error instanceof OnnxInvalid && said.test(error.message) && error.message.length < 1_000,
      )
    })
  }
})

it('tells what a model has', () => {
  const bytes = model(
    {
      nodes: [node('Relu'), node('Gelu', 'com.microsoft'), node('Own', 'mine'), node('Relu')],
      outputs: [value('y'), value('s', sequenceOf(tensorOf(FLOAT))), value('q', tensorOf(21))],
    },
    field(25, field(1, 'Own'), field(7, node('Neg')), field(10, 'mine')),
    field(8, field(1, 'mine'), count(2, 1)),
  )
  const { hiddenOutputs, ...found } = inspectOnnx(bytes)
  assert.deepEqual(found, {
    inputs: [{ name: 'x', dtype: 'float32', shape: [1] }],
    outputs: [{ name: 'y', dtype: 'float32', shape: [1] }],
    opsets: { 'ai.onnx': 21, mine: 1 },
    operators: ['Neg', 'Relu', 'com.microsoft.Gelu'],
  })
  assert.match(hiddenOutputs.s ?? '', /a sequence.*Non tensor type/)
  assert.match(hiddenOutputs.q ?? '', /uint4.*not supported: uint4/)
})

it('an optional of a tensor is that tensor', () => {
  const optional = optionalOf(tensorOf(FLOAT, [2]))
  const { inputs, outputs } = inspectOnnx(model({ inputs: [value('x', optional)], outputs: [value('y', optional)] }))
  assert.deepEqual(inputs, [{ name: 'x', dtype: 'float32', shape: [2] }])
  assert.deepEqual(outputs, [{ name: 'y', dtype: 'float32', shape: [2] }])
})
