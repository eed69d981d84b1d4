/** ONNX files that are made to do harm, as bytes: no exporter writes most of them. Field numbers are those of onnx.proto3. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from './server.ts'

/** What a case must come to: a code, and words of the reason. */
export type Expected = readonly [name: string, bytes: Uint8Array, said: RegExp]

const { count, field, graph, mapOf, model, node, optionalOf, sequenceOf, tensorOf, value, varint } = await import(
  join(repository, 'libs/model/src/onnx-bytes.fixture.ts')
)

const [FLOAT, UINT8, INT32, INT64, STRING, BOOL] = [1, 2, 6, 7, 8, 9] as const
const MIB = 2 ** 20

const fixtures = join(repository, 'services/executor/src/onnx/fixtures/hostile-models')
export const hostile = (name: string): Buffer => readFileSync(join(fixtures, `${name}.onnx`))

const many = (length: number, make: (index: number) => Buffer): Buffer[] =>
  Array.from({ length }, (_, index) => make(index))

/** A NodeProto of any inputs and outputs. */
const op = (operator: string, inputs: string[], outputs: string[], attributes: Buffer[] = [], domain = ''): Buffer =>
  Buffer.concat([
    ...inputs.map(name => field(1, name)),
    ...outputs.map(name => field(2, name)),
    field(4, operator),
    ...attributes.map(attribute => field(5, attribute)),
    field(7, domain),
  ])

const wholeAttribute = (name: string, number: number) => Buffer.concat([field(1, name), count(3, number), count(20, 2)])
const graphAttribute = (name: string, of: Buffer) => Buffer.concat([field(1, name), field(6, of), count(20, 5)])
const tensorAttribute = (name: string, of: Buffer) => Buffer.concat([field(1, name), field(5, of), count(20, 4)])

/** A TensorProto. */
const weights = (name: string, type: number, shape: number[], raw: Uint8Array): Buffer =>
  Buffer.concat([...shape.map(length => count(1, length)), count(2, type), field(8, name), field(9, raw)])

const wholes = (...numbers: (number | bigint)[]) =>
  new Uint8Array(new BigInt64Array(numbers.map(number => BigInt(number))).buffer)
const lengths = (name: string, ...numbers: number[]) => weights(name, INT64, [numbers.length], wholes(...numbers))

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
export const refusedFiles: readonly Expected[] = [
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
  ['a length of 2^60', model({ inputs: [value('x', tensorOf(FLOAT, [2 ** 60]))] }), /2\^53/],
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

/** FunctionProto: its body is `nodes`. */
const functionOf = (name: string, ...nodes: Buffer[]): Buffer =>
  field(
    25,
    field(1, name),
    field(4, 'x'),
    field(5, 'y'),
    ...nodes.map(each => field(7, each)),
    field(9, field(1, ''), count(2, 17)),
    field(9, field(1, 'f'), count(2, 1)),
    field(10, 'f'),
  )
const usesFunctions = field(8, field(1, 'f'), count(2, 1))

/** Each function calls the one before it twice. */
const doubling = (depth: number): Buffer[] =>
  many(depth, index => {
    const inner = index === 0 ? ['Neg', ''] : [`f${index - 1}`, 'f']
    const [operator, domain] = inner as [string, string]
    return functionOf(`f${index}`, op(operator, ['x'], ['h'], [], domain), op(operator, ['h'], ['y'], [], domain))
  })

/** A Loop of 2^50 steps; `body` makes `w` of `v`. */
const loop = (body: Buffer[], initializers: Buffer[] = [], type = tensorOf(FLOAT)): Buffer =>
  model({
    nodes: [
      op(
        'Loop',
        ['trips', '', 'x'],
        ['y'],
        [
          graphAttribute(
            'body',
            graph({
              nodes: [op('Identity', ['go'], ['go_on']), ...body],
              inputs: [value('i', tensorOf(INT64, [])), value('go', tensorOf(BOOL, [])), value('v', type)],
              outputs: [value('go_on', tensorOf(BOOL, [])), value('w', type)],
            }),
          ),
        ],
      ),
    ],
    inputs: [value('x', type)],
    outputs: [value('y', type)],
    initializers: [weights('trips', INT64, [], wholes(2 ** 50)), ...initializers],
  })

/** `x` as far as `shape` says, in one piece. */
const expand = (...shape: number[]): Buffer =>
  model({ nodes: [op('Expand', ['x', 's'], ['y'])], initializers: [lengths('s', ...shape)] })

const NOT_RUN = 'model_broken|model_failed|out_of_memory'

/** Of an account's file that the runtime is given: what the task fails with. `x` is a float32 of one element. */
export const failingModels: readonly (readonly [name: string, bytes: Uint8Array, code: string, more?: object])[] = [
  ['an operator that there is not', hostile('unknown-operator'), 'model_broken'],
  ['an operator set of the future', hostile('wrong-opset'), 'model_broken'],
  ['a cycle', model({ nodes: [op('Add', ['x', 'y'], ['z']), op('Neg', ['z'], ['y'])] }), 'model_broken'],
  ['a value that is made twice', model({ nodes: [node('Neg'), node('Abs')] }), 'model_broken'],
  ['a value that nothing makes', model({ nodes: [op('Add', ['x', 'nothing'], ['y'])] }), 'model_broken'],
  ['an output that nothing makes', model({ nodes: [op('Neg', ['x'], ['z'])] }), 'model_broken'],
  ['an output of another type than it says', model({ nodes: [op('Shape', ['x'], ['y'])] }), 'model_broken'],
  [
    'weights that are shorter than their shape',
    model({ nodes: [op('Add', ['x', 'w'], ['y'])], initializers: [weights('w', FLOAT, [1000], new Uint8Array(8))] }),
    'model_broken',
  ],
  [
    'weights of 2^40 elements',
    model({ nodes: [op('Add', ['x', 'w'], ['y'])], initializers: [weights('w', FLOAT, [2 ** 40], new Uint8Array(4))] }),
    NOT_RUN,
  ],
  [
    'weights of 2^64 elements',
    model({
      nodes: [op('Add', ['x', 'w'], ['y'])],
      initializers: [weights('w', FLOAT, [2 ** 32, 2 ** 32], new Uint8Array(4))],
    }),
    NOT_RUN,
  ],
  [
    'a function that calls itself',
    model(
      { nodes: [op('f0', ['x'], ['y'], [], 'f')] },
      usesFunctions,
      functionOf('f0', op('f0', ['x'], ['y'], [], 'f')),
    ),
    'model_broken|model_crashed|out_of_memory',
  ],
  [
    'functions that double forty times',
    model({ nodes: [op('f39', ['x'], ['y'], [], 'f')] }, usesFunctions, ...doubling(40)),
    'model_broken|out_of_memory',
  ],
  [
    'a constant of 2^40 elements',
    model({
      nodes: [op('ConstantOfShape', ['s'], ['c']), op('ReduceSum', ['c'], ['y'])],
      initializers: [lengths('s', 2 ** 40)],
    }),
    NOT_RUN,
  ],
  ['an output of 2^40 elements', expand(2 ** 40), NOT_RUN],
  ['an output of 2^66 elements', expand(2 ** 33, 2 ** 33), NOT_RUN],
  ['an output of a negative length', expand(-2), 'model_failed|model_broken'],
  ['an output over the bound', expand(5_000, 8_000), 'output_too_large'],
  [
    'an output over the bound, in a file',
    expand(5_000, 8_000),
    'output_too_large',
    { parameters: { output_format: 'npz' } },
  ],
  ['memory as its input asks', hostile('memory-bomb'), 'out_of_memory|model_failed', { x: 2 ** 40 }],
  ['memory in small steps', hostile('memory-creep'), 'out_of_memory|model_failed'],
  [
    'weights that are forked into every output',
    model({
      nodes: many(200, index => op('Identity', ['w'], [`y${index}`])),
      inputs: [value('x')],
      outputs: many(200, index => value(`y${index}`, tensorOf(FLOAT, [2 ** 18]))),
      initializers: [weights('w', FLOAT, [2 ** 18], new Uint8Array(2 ** 20))],
    }),
    'output_too_large|out_of_memory',
  ],
  ['a Loop of 2^60 steps', hostile('endless-loop'), 'run_timeout', { run_timeout_s: 1 }],
  ['a Loop that nothing ends', loop([op('Neg', ['v'], ['w'])]), 'run_timeout', { run_timeout_s: 1 }],
  [
    'texts that double',
    loop([op('StringConcat', ['v', 'v'], ['w'])], [], tensorOf(STRING)),
    'out_of_memory|model_failed|model_crashed',
    { text: 'abc' },
  ],
  [
    'an index out of its range',
    model({ nodes: [op('Gather', ['x', 'n'], ['y'])], initializers: [weights('n', INT64, [1], wholes(2 ** 40))] }),
    'model_failed|model_broken',
  ],
  [
    'a shape that does not go',
    model({ nodes: [op('Reshape', ['x', 's'], ['y'])], initializers: [lengths('s', 7)] }),
    'model_failed|model_broken',
  ],
  [
    'a range of 2^50',
    model({
      nodes: [
        op('Cast', ['x'], ['n'], [wholeAttribute('to', INT64)]),
        op('Range', ['zero', 'end', 'one'], ['r']),
        op('Cast', ['r'], ['y'], [wholeAttribute('to', FLOAT)]),
      ],
      initializers: [
        weights('zero', INT64, [], wholes(0)),
        weights('end', INT64, [], wholes(2 ** 50)),
        weights('one', INT64, [], wholes(1)),
      ],
    }),
    NOT_RUN,
  ],
  [
    'a division by zero',
    model({
      nodes: [
        op('Cast', ['x'], ['n'], [wholeAttribute('to', INT32)]),
        op('Sub', ['n', 'n'], ['zero']),
        op('Div', ['n', 'zero'], ['q']),
        op('Cast', ['q'], ['y'], [wholeAttribute('to', FLOAT)]),
      ],
    }),
    'model_crashed|model_failed',
  ],
  [
    'an optional that is empty',
    model({
      nodes: [
        op('Optional', [], ['y'], [Buffer.concat([field(1, 'type'), field(14, tensorOf(FLOAT)), count(20, 13)])]),
      ],
      outputs: [value('y', optionalOf(tensorOf(FLOAT)))],
    }),
    'attempts_exhausted',
  ],
]

/** What only looks like harm: `y` of each for an `x` of 2. */
export const harmlessModels: readonly (readonly [name: string, bytes: Uint8Array, y: unknown])[] = [
  [
    'a name of 1 MB within its graph',
    model({ nodes: [op('Neg', ['x'], ['n'.repeat(MIB)]), op('Neg', ['n'.repeat(MIB)], ['y'])] }),
    2,
  ],
  [
    'a thousand operators in a row',
    model({ nodes: many(1_000, at => op('Neg', [at === 0 ? 'x' : `v${at}`], [at === 999 ? 'y' : `v${at + 1}`])) }),
    2,
  ],
  [
    'weights that are no number',
    model({
      nodes: [op('Add', ['x', 'w'], ['y'])],
      initializers: [weights('w', FLOAT, [1], new Uint8Array(new Float32Array([Number.NaN]).buffer))],
    }),
    'NaN',
  ],
  [
    'infinite weights',
    model({
      nodes: [op('Mul', ['x', 'w'], ['y'])],
      initializers: [weights('w', FLOAT, [1], new Uint8Array(new Float32Array([Number.NEGATIVE_INFINITY]).buffer))],
    }),
    '-Infinity',
  ],
  [
    'functions that double ten times',
    model({ nodes: [op('f9', ['x'], ['y'], [], 'f')] }, usesFunctions, ...doubling(10)),
    2,
  ],
  [
    'an optional in the place of a tensor',
    model({ nodes: [op('OptionalGetElement', ['x'], ['y'])], inputs: [value('x', optionalOf(tensorOf(FLOAT)))] }),
    2,
  ],
  [
    'an optional as its output',
    model({ nodes: [op('Optional', ['x'], ['y'])], outputs: [value('y', optionalOf(tensorOf(FLOAT)))] }),
    2,
  ],
]
