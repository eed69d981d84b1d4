/** Models of which only the runtime finds out what they do. */
import {
  BOOL,
  count,
  FLOAT,
  field,
  graph,
  graphAttribute,
  hostile,
  INT32,
  INT64,
  lengths,
  MIB,
  many,
  model,
  node,
  op,
  optionalOf,
  STRING,
  tensorOf,
  value,
  weights,
  wholeAttribute,
  wholes,
} from './hostile-parts.ts'

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

/** One of two branches, by `go`, which is true. */
const branching = op(
  'If',
  ['go'],
  ['w'],
  ['then_branch', 'else_branch'].map((name, at) =>
    graphAttribute(
      name,
      graph({ nodes: [op(at === 0 ? 'Neg' : 'Abs', ['v'], ['z'])], inputs: [], outputs: [value('z')] }),
    ),
  ),
)

/** A Scan whose body makes `w` of each row `v` of `r`, which `before` makes of `x`. */
const scanOf = (before: Buffer[], body: Buffer[], initializers: Buffer[]): Buffer =>
  model({
    nodes: [
      ...before,
      op(
        'Scan',
        ['r'],
        ['s'],
        [
          graphAttribute('body', graph({ nodes: body, inputs: [value('v')], outputs: [value('w')] })),
          wholeAttribute('num_scan_inputs', 1),
        ],
      ),
      op('ReduceSum', ['s'], ['y']),
    ],
    outputs: [value('y', tensorOf(FLOAT, [1, 1]))],
    initializers,
  })

const scan = (rows: number): Buffer =>
  scanOf([op('Expand', ['x', 'n'], ['r'])], [op('Neg', ['v'], ['w'])], [lengths('n', rows, 1)])

/** Each of a thousand rows is a Loop of 2^50 steps. */
const scanned = (): Buffer =>
  scanOf(
    [op('Expand', ['x', 'n'], ['r'])],
    [
      op(
        'Loop',
        ['trips', '', 'v'],
        ['w'],
        [
          graphAttribute(
            'body',
            graph({
              nodes: [op('Identity', ['go'], ['go_on']), op('Neg', ['a'], ['b'])],
              inputs: [value('i', tensorOf(INT64, [])), value('go', tensorOf(BOOL, [])), value('a')],
              outputs: [value('go_on', tensorOf(BOOL, [])), value('b')],
            }),
          ),
        ],
      ),
    ],
    [lengths('n', 1_000, 1), weights('trips', INT64, [], wholes(2 ** 50))],
  )

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
  ['an If in a Loop that nothing ends', loop([branching]), 'run_timeout', { run_timeout_s: 1 }],
  ['a Scan over 2^40 rows', scan(2 ** 40), NOT_RUN],
  ['a Loop in each row of a Scan', scanned(), 'run_timeout', { run_timeout_s: 1 }],
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
