import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { OnnxInvalid, readOnnx } from './onnx-file.ts'

type Bytes = readonly number[]

const varint = (value: number): Bytes => (value < 128 ? [value] : [(value % 128) + 128, ...varint(value >>> 7)])
const message = (number: number, ...content: Bytes[]): Bytes => {
  const bytes = content.flat()
  return [...varint(number * 8 + 2), ...varint(bytes.length), ...bytes]
}
const text = (number: number, value: string): Bytes => message(number, [...Buffer.from(value)])
/** The same number in more bytes than it needs, which protobuf takes. */
const overlong = ([first = 0, ...rest]: Bytes, more: number): Bytes => [
  ...(more === 0 ? [first] : [first | 0x80, ...Array(more - 1).fill(0x80), 0]),
  ...rest,
]

const entry = (key: string, value: string) => message(13, text(1, key), text(2, value))
const EXTERNAL_DATA = entry('location', '../../../../etc/passwd')
const EXTERNAL = [14 * 8, 1]
const OPERATOR = text(4, 'EPContext')

/** What makes a TensorProto, or a NodeProto, one that is refused. */
const poisonedTensors: readonly Bytes[] = [
  [...EXTERNAL_DATA, ...EXTERNAL],
  EXTERNAL_DATA,
  EXTERNAL,
  message(13),
  [14 * 8, 0x81, 0],
  overlong(EXTERNAL, 1),
  overlong(EXTERNAL_DATA, 4),
  [...EXTERNAL, 14 * 8, 0],
  [...EXTERNAL_DATA, ...text(8, 'w')],
  entry('location', '*/_ORT_MEM_ADDR_/*'),
]

/** A way from a message of one name to a message within it, by the field's number. */
const ways: Readonly<Record<string, readonly (readonly [number, string])[]>> = {
  model: [
    [7, 'graph'],
    [20, 'training'],
    [25, 'function'],
  ],
  training: [
    [1, 'graph'],
    [2, 'graph'],
  ],
  function: [
    [7, 'node'],
    [11, 'attribute'],
  ],
  graph: [
    [1, 'node'],
    [5, 'tensor'],
    [15, 'sparse'],
  ],
  node: [[5, 'attribute']],
  attribute: [
    [5, 'tensor'],
    [6, 'graph'],
    [10, 'tensor'],
    [11, 'graph'],
    [22, 'sparse'],
    [23, 'sparse'],
  ],
  sparse: [
    [1, 'tensor'],
    [2, 'tensor'],
  ],
}

/** What may stand before or after any field: it changes nothing, or is a field that no schema knows. */
const FILLERS: readonly Bytes[] = [
  [],
  [],
  text(1000, 'unknown'),
  [...varint(2000 * 8), 1],
  [...varint(3000 * 8 + 5), 0, 0, 0, 0],
]

interface Step {
  readonly way: number
  readonly before: number
  readonly after: number
  readonly overlong: number
  /** The same field again, empty, before or after the one with the content: protobuf merges both. */
  readonly split: 'none' | 'before' | 'after'
}

const steps = fc.array(
  fc.record<Step>({
    way: fc.nat(11),
    before: fc.nat(FILLERS.length - 1),
    after: fc.nat(FILLERS.length - 1),
    overlong: fc.nat(2),
    split: fc.constantFrom('none', 'none', 'before', 'after'),
  }),
  { minLength: 1, maxLength: 40 },
)

/** A model with the poison at the end of the steps, continued to the nearest tensor. */
function model(poison: Bytes, path: readonly Step[], name = 'model', at = 0): Bytes {
  if (name === 'tensor') return poison
  const step = path[at] ?? { way: 1, before: 0, after: 0, overlong: 0, split: 'none' }
  const choices = ways[name] ?? []
  // Beyond the steps the shortest way is taken: it has no further graph in it.
  const [number, next] = (path[at] ? choices[step.way % choices.length] : shortest(name)) as readonly [number, string]
  const field = overlong(
    message(number, model(poison, path, next, at + 1)),
    Math.min(step.overlong, number < 16 ? 2 : 0),
  )
  const again = message(number)
  return [
    ...(FILLERS[step.before] ?? []),
    ...(step.split === 'before' ? again : []),
    ...field,
    ...(step.split === 'after' ? again : []),
    ...(FILLERS[step.after] ?? []),
  ]
}

const shortest = (name: string) =>
  (ways[name] ?? []).find(([, next]) => next === 'tensor') ?? (ways[name] ?? [])[0] ?? [5, 'tensor']

/** What is said against a model; undefined where it would be loaded. */
function against(bytes: Bytes): string | undefined {
  try {
    return readOnnx(Uint8Array.from(bytes)).refused
  } catch (error) {
    assert.ok(error instanceof OnnxInvalid, String(error))
    return error.message
  }
}

const graph = (...content: Bytes[]) => message(7, ...content)
const node = (...content: Bytes[]) => message(1, ...content)
const attribute = (...content: Bytes[]) => message(5, ...content)
const tensor = message(5, EXTERNAL_DATA, EXTERNAL)
const IDENTITY = node(text(1, 'x'), text(2, 'y'), text(4, 'Identity'))

const hiding: Readonly<Record<string, Bytes>> = {
  'a graph in two fields, the first with the tensor': [...graph(tensor), ...graph(IDENTITY)],
  'a graph in two fields, the last with the tensor': [...graph(IDENTITY), ...graph(tensor)],
  'a tensor in two fields of an attribute': graph(node(attribute(tensor, message(5, text(8, 'w'))))),
  'a branch in two fields of an attribute': graph(node(attribute(message(6, tensor), message(6, IDENTITY)))),
  "the default of a function's attribute": [...graph(IDENTITY), ...message(25, message(11, tensor))],
  'a node of a function': [...graph(IDENTITY), ...message(25, message(7, attribute(tensor)))],
  'a graph of the training': [...graph(IDENTITY), ...message(20, message(2, tensor))],
  'the values of a sparse tensor': graph(message(15, message(1, EXTERNAL))),
  'a sparse tensor of an attribute': graph(node(attribute(message(22, message(2, EXTERNAL))))),
  'an operator that opens a file, in a function': [...graph(IDENTITY), ...message(25, message(7, OPERATOR))],
  'an operator that opens a file, named before another': graph(node(OPERATOR, text(4, 'Identity'))),
  'an operator that opens a file, in a default that is a graph': [
    ...graph(IDENTITY),
    ...message(25, message(11, message(6, node(OPERATOR)))),
  ],
  'a tag with bits beyond 32, which C++ drops': [
    ...graph(IDENTITY),
    0xba,
    0x80,
    0x80,
    0x80,
    0x10,
    tensor.length,
    ...tensor,
  ],
  'a group in the place of a graph': [...graph(IDENTITY), 7 * 8 + 3, ...tensor, 7 * 8 + 4],
  'a file that is of the ORT format too': [...message(2, [0, 0, ...Buffer.from('ORTM')]), ...graph(IDENTITY)],
}

for (const [where, bytes] of Object.entries(hiding)) {
  test(`is refused: ${where}`, () => assert.ok(against(bytes)))
}

test('a tensor in other files is found wherever it is, however it is written', () => {
  fc.assert(
    fc.property(steps, fc.constantFrom(...poisonedTensors), (path, poison) => {
      // A graph of its own, unless the poisoned way has one: without, a file is refused for that alone.
      const poisoned = model(poison, path)
      assert.ok(against([...poisoned, ...graph(IDENTITY)]), 'with a graph after it')
      assert.ok(against([...graph(IDENTITY), ...poisoned]), 'with a graph before it')
      assert.ok(against(poisoned), 'alone')
    }),
    { numRuns: 500 },
  )
})

test('what no schema knows, and numbers in more bytes than they need, are no reason to refuse', () => {
  const whole = graph(...FILLERS, overlong(IDENTITY, 3), message(5, text(8, 'w'), [14 * 8, 0]))
  assert.equal(against([...overlong(whole, 2), ...FILLERS.flat()]), undefined)
  assert.equal(against([...graph(IDENTITY), ...message(25, message(11, message(5, text(8, 'w'))))]), undefined)
})

test('nesting deeper than protobuf reads is refused, and does not end the process', () => {
  let deep: Bytes = []
  for (let n = 0; n < 500; n++) deep = node(attribute(message(6, deep)))
  assert.match(against(graph(deep)) ?? '', /too deep/)
})
