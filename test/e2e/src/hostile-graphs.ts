/** Models of which only the runtime finds out what they do. */
import { branching, doubling, expand, functionOf, loop, scan, scanned, usesFunctions } from './hostile-operators.ts'
import {
  count,
  FLOAT,
  field,
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
