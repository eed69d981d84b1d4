/** Operators that run other graphs, and tensors that grow, for models that are made to harm. */
import {
  BOOL,
  count,
  FLOAT,
  field,
  graph,
  graphAttribute,
  INT64,
  lengths,
  many,
  model,
  op,
  tensorOf,
  value,
  weights,
  wholeAttribute,
  wholes,
} from './hostile-parts.ts'

/** FunctionProto: its body is `nodes`. */
export const functionOf = (name: string, ...nodes: Buffer[]): Buffer =>
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
export const usesFunctions = field(8, field(1, 'f'), count(2, 1))

/** Each function calls the one before it twice. */
export const doubling = (depth: number): Buffer[] =>
  many(depth, index => {
    const inner = index === 0 ? ['Neg', ''] : [`f${index - 1}`, 'f']
    const [operator, domain] = inner as [string, string]
    return functionOf(`f${index}`, op(operator, ['x'], ['h'], [], domain), op(operator, ['h'], ['y'], [], domain))
  })

/** A Loop of 2^50 steps; `body` makes `w` of `v`. */
export const loop = (body: Buffer[], initializers: Buffer[] = [], type = tensorOf(FLOAT)): Buffer =>
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
export const branching = op(
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

export const scan = (rows: number): Buffer =>
  scanOf([op('Expand', ['x', 'n'], ['r'])], [op('Neg', ['v'], ['w'])], [lengths('n', rows, 1)])

/** Each of a thousand rows is a Loop of 2^50 steps. */
export const scanned = (): Buffer =>
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
export const expand = (...shape: number[]): Buffer =>
  model({ nodes: [op('Expand', ['x', 's'], ['y'])], initializers: [lengths('s', ...shape)] })
