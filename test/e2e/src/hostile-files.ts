/** Files that are no model, or one that reaches outside, or is too much of something: none is registered or run. */
import {
  count,
  FLOAT,
  field,
  graph,
  graphAttribute,
  hostile,
  MIB,
  many,
  mapOf,
  model,
  node,
  op,
  optionalOf,
  sequenceOf,
  tensorAttribute,
  tensorOf,
  UINT8,
  value,
  varint,
} from './hostile-parts.ts'

const external = (name: string, location: string): Buffer =>
  Buffer.concat([
    count(1, 4),
    count(2, UINT8),
    field(8, name),
    field(13, field(1, 'location'), field(2, location)),
    count(14, 1),
  ])

const nestedIn = (depth: number): Buffer =>
  depth === 0
    ? graph()
    : graph({ nodes: [op('If', ['x'], ['y'], [graphAttribute('then_branch', nestedIn(depth - 1))])] })

/** TypeProtos in each other. */
const sequencesIn = (depth: number): Buffer => (depth === 0 ? tensorOf(FLOAT) : sequenceOf(sequencesIn(depth - 1)))

/** Refused with 400 `model_invalid`, whether they are registered or run as they are. */
export const refusedFiles: readonly (readonly [name: string, bytes: Uint8Array, said: RegExp])[] = [
  ['a sentence', Buffer.from('This is no model, it is a sentence.'), /broken|cut off/],
  ['zeros', Buffer.alloc(4096), /broken/],
  ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), /broken|cut off/],
  ['a zip file', Buffer.from('504b0304140000000800', 'hex'), /broken|cut off/],
  ['the ORT format', Buffer.from('\x20\0\0\0ORTM\0\0\0\0'), /ORT format/],
  ['a model that is cut off', model().subarray(0, 40), /cut off/],
  ['a length beyond the file', Buffer.concat([varint(58), varint(2 ** 31)]), /cut off/],
  ['a length of 64 bits', Buffer.concat([varint(58), Buffer.alloc(9, 0xff), Buffer.of(1)]), /broken/],
  ['a group', Buffer.concat([Buffer.of(7 * 8 + 3), graph(), Buffer.of(7 * 8 + 4)]), /broken/],
  [
    'a tag of 35 bits',
    Buffer.concat([Buffer.of(0xba, 0x80, 0x80, 0x80, 0x40), varint(3), Buffer.from('abc')]),
    /broken/,
  ],
  ['no graph', count(1, 10), /no graph/],
  ['two graphs', model({}, field(7, graph())), /written twice/],
  ['graphs in each other', field(7, nestedIn(120)), /too deeply/],
  ['types in each other', model({ inputs: [value('x', sequencesIn(90))] }), /too deeply/],
  ['weights in /etc/passwd', hostile('external-data'), /external data/],
  ['weights in /etc/passwd, within an If', hostile('external-data-inside'), /external data/],
  [
    'weights on a path that climbs',
    model({ initializers: [external('w', '../../../../etc/passwd')] }),
    /external data/,
  ],
  [
    'weights elsewhere in an attribute',
    model({ nodes: [op('Constant', [], ['y'], [tensorAttribute('value', external('w', 'x'))])] }),
    /external data/,
  ],
  [
    'weights elsewhere in a sparse tensor',
    field(7, graph(), field(15, field(1, external('w', '/proc/self/environ')))),
    /external data/,
  ],
  [
    'weights elsewhere in a function',
    model(
      {},
      field(25, field(1, 'f'), field(7, op('Constant', [], ['y'], [tensorAttribute('value', external('w', 'x'))]))),
    ),
    /external data/,
  ],
  [
    'weights elsewhere in what is trained',
    model({}, field(20, field(1, graph({ initializers: [external('w', 'x')] })))),
    /external data/,
  ],
  ['a compiled context', hostile('ep-context'), /EPContext/],
  ['Python code', model({ nodes: [op('PyOp', ['x'], ['y'], [], 'com.microsoft')] }), /PyOp/],
  ['a custom operator', model({ nodes: [op('Run', ['x'], ['y'], [], 'my.domain')] }), /custom operators/],
  [
    'a custom operator within an If',
    model({
      nodes: [
        op(
          'If',
          ['x'],
          ['y'],
          [graphAttribute('then_branch', graph({ nodes: [op('Run', [], ['y'], [], 'my.domain')] }))],
        ),
      ],
    }),
    /custom operators/,
  ],
  ['the name of an input of 1 MB', model({ inputs: [value('x'.repeat(MIB))] }), /longer than 512/],
  ['the name of an operator of 1 MB', model({ nodes: [node('X'.repeat(MIB))] }), /very long name/],
  ['a domain of 1 MB', model({ nodes: [node('X', 'd'.repeat(MIB))] }), /custom operators/],
  ['names that are no UTF-8', model({ outputs: [value('y'), value('\ud800'), value('\ud801')] }), /two outputs/],
  ['an input without a name', model({ inputs: [value('')] }), /no name/],
  ['two outputs of one name', model({ outputs: [value('y'), value('y')] }), /two outputs/],
  ['no outputs', model({ outputs: [] }), /no outputs/],
  ['100,000 inputs', model({ inputs: many(100_000, index => value(`x${index}`)) }), /more than 1000 inputs/],
  [
    'long names that are too many',
    model({ outputs: many(300, index => value(`${index}`.padEnd(500, 'y'))) }),
    /64 KiB/,
  ],
  ['a shape of 17 dimensions', model({ inputs: [value('x', tensorOf(FLOAT, Array(17).fill(1)))] }), /16 dimensions/],
  ['a length of 2^31', model({ inputs: [value('x', tensorOf(FLOAT, [2 ** 31]))] }), /2\^31/],
  ['an output of a length of 2^40', model({ outputs: [value('y', tensorOf(FLOAT, [2 ** 40]))] }), /2\^31/],
  ['a length of 2^60', model({ inputs: [value('x', tensorOf(FLOAT, [2 ** 60]))] }), /2\^31/],
  ['a thousand operators', model({ nodes: many(1_001, index => node(`Op${index}`)) }), /1000 different operators/],
  [
    'names of operators that are too many',
    model({ nodes: many(600, index => node(`${index}`.padEnd(500, 'O'))) }),
    /256 KiB/,
  ],
  ['many operator sets', model({}, ...many(70, index => field(8, field(1, `d${index}`), count(2, 1)))), /64 opsets/],
  [
    'an operator set of version 2^40',
    model({}, field(8, field(1, 'ai.onnx.ml'), count(2, 2 ** 40))),
    /not one of ONNX/,
  ],
  ['a sequence as an input', model({ inputs: [value('x', sequenceOf(tensorOf(FLOAT)))] }), /a sequence/],
  ['a map as an input', model({ inputs: [value('x', mapOf(tensorOf(FLOAT)))] }), /a map/],
  [
    'an optional sequence as an input',
    model({ inputs: [value('x', optionalOf(sequenceOf(tensorOf(FLOAT))))] }),
    /an optional/,
  ],
  ['bfloat16 as an output', model({ outputs: [value('y', tensorOf(16))] }), /bfloat16.*Unsupported data type/],
  ['int4 as an input', model({ inputs: [value('x', tensorOf(22))] }), /int4/],
  ['complex numbers', model({ inputs: [value('x', tensorOf(14))] }), /complex64/],
  ['an element type that there is not', model({ inputs: [value('x', tensorOf(99))] }), /element type 99/],
]
