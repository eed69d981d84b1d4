import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create, type DescMessage, toBinary } from '@bufbuild/protobuf'
import { TimestampSchema } from '@bufbuild/protobuf/wkt'
import { FieldRulesSchema, RepeatedRulesSchema } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'
import fc from 'fast-check'
import { TaskSchema } from '../gen/millhand/compute/v1/task_pb.ts'
import {
  CreateTaskRequestSchema,
  ListTasksRequestSchema,
  ListTasksResponseSchema,
} from '../gen/millhand/compute/v1/task_request_pb.ts'
import { EventSchema } from '../gen/millhand/event/v1/event_pb.ts'
import { ResultSchema } from '../gen/millhand/lease/v1/lease_pb.ts'
import { everyKind } from './every-kind.fixture.ts'
import { queryReader } from './query.ts'
import { jsonReader } from './reader.ts'
import { jsonWriter } from './writer.ts'

const text = fc.string({ unit: 'grapheme-composite' })
const key = fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'toString'))
const time = fc
  .integer({ min: -62_135_596_800_000, max: Date.UTC(9999, 11, 31) })
  .map(ms =>
    create(TimestampSchema, { seconds: BigInt(Math.floor(ms / 1000)), nanos: (((ms % 1000) + 1000) % 1000) * 1e6 }),
  )
// As JSON.parse gives it: without the negative zeros that JSON.stringify does not write.
const parsed = fc.jsonValue().map(value => JSON.parse(JSON.stringify(value)))
const finite = fc.double({ noDefaultInfinity: true, noNaN: true }).map(value => value + 0)
const scalars = {
  aString: text,
  aBool: fc.boolean(),
  someBytes: fc.uint8Array({ maxLength: 20 }),
  aDouble: fc.oneof(finite, fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY)),
  // JSON has no negative zero that JSON.stringify would write.
  aFloat: fc.float({ noNaN: true }).map(value => value + 0),
  anInt32: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  aUint32: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  anInt64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  aUint64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
}
const colour = fc.constantFrom(1, 7)
const flat = {
  ...scalars,
  ...Object.fromEntries(
    Object.entries(scalars).map(([name, value]) => [
      `${name}List`,
      fc.array(value as fc.Arbitrary<unknown>, { maxLength: 3 }),
    ]),
  ),
  aColour: fc.constantFrom(0, 1, 7),
  colours: fc.array(colour, { maxLength: 3 }),
  aTime: fc.option(time, { nil: undefined }),
  anObject: fc.dictionary(key, parsed),
  labels: fc.dictionary(key, text),
  one: fc.oneof(
    fc.constant({ case: undefined }),
    fc.record({ case: fc.constant('oneText'), value: text }),
    fc.record({ case: fc.constant('oneFlag'), value: fc.boolean() }),
  ),
  maybe: fc.option(fc.nat(), { nil: undefined }),
}
const inner = fc.record(flat).map(init => create(everyKind, init as Record<string, unknown>))
const message = fc
  .record({ ...flat, nested: fc.option(inner, { nil: undefined }), nestedList: fc.array(inner, { maxLength: 2 }) })
  .map(init => create(everyKind, init as Record<string, unknown>))

test('what the writer writes is JSON, and the reader reads it back', () => {
  const write = jsonWriter(everyKind)
  const read = jsonReader(everyKind)
  fc.assert(
    fc.property(message, before => {
      const reading = read(JSON.parse(write(before)))
      assert.ok(reading.ok, reading.ok ? '' : JSON.stringify(reading.faults))
      assert.deepEqual(toBinary(everyKind, reading.message), toBinary(everyKind, before))
      assert.equal(write(reading.message), write(before))
    }),
    { numRuns: 200 },
  )
})

const schemas: DescMessage[] = [
  CreateTaskRequestSchema,
  ListTasksRequestSchema,
  ListTasksResponseSchema,
  TaskSchema,
  EventSchema,
  everyKind,
]

for (const schema of schemas) {
  test(`${schema.typeName} is read from anything without an exception`, () => {
    const read = jsonReader(schema)
    const names = fc.constantFrom('object', '__proto__', ...schema.fields.map(({ name }) => name))
    const anything = fc.oneof(
      fc.anything({ key: names, withNullPrototype: true, maxDepth: 4 }).map(value => jsonOf(value)),
      fc.dictionary(names, fc.jsonValue()),
      fc.dictionary(names, fc.string({ unit: 'binary' })),
      fc.json().map(json => JSON.parse(json)),
    )
    const write = jsonWriter(schema)
    fc.assert(
      fc.property(anything, value => {
        const reading = read(value)
        if (reading.ok) JSON.parse(write(reading.message))
        else assert.ok(reading.faults.length > 0 && reading.faults.every(({ message }) => message.isWellFormed()))
      }),
      { numRuns: 300 },
    )
  })
}

test('a query is read from any pairs without an exception', () => {
  const read = queryReader(ListTasksRequestSchema)
  const names = ListTasksRequestSchema.fields.map(({ name }) => name)
  const keys = fc.oneof(
    fc.constantFrom('metadata[', 'metadata]', 'metadata[]', 'metadata[__proto__]', '[a]', '__proto__', ...names),
    fc.string({ unit: 'binary' }),
  )
  const texts = fc.oneof(fc.constantFrom('', 'input', 'input,output', '1', '-1', '1e999', 'queued'), fc.string())
  fc.assert(fc.property(fc.array(fc.tuple(keys, texts)), pairs => void read(pairs)))
})

test('a message that has no public JSON is refused when it is compiled', () => {
  assert.throws(() => jsonWriter(TimestampSchema), /no public JSON/)
  assert.throws(() => jsonReader(TimestampSchema), /no public JSON/)
  assert.throws(() => queryReader(CreateTaskRequestSchema), /no form in a query/)
  assert.doesNotThrow(() => jsonWriter(ResultSchema))
})

test('a message that holds one without public JSON is refused every time', () => {
  // Rules of lists hold rules of fields, which hold those of lists, and a duration.
  for (const schema of [FieldRulesSchema, RepeatedRulesSchema, FieldRulesSchema]) {
    assert.throws(() => jsonWriter(schema), /no public JSON/)
    assert.throws(() => jsonReader(schema), /no public JSON/)
  }
})

test('a message is compiled once', () => {
  assert.equal(jsonWriter(TaskSchema), jsonWriter(TaskSchema))
})

/** What JSON.parse could have given for it. */
function jsonOf(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value) ?? 'null')
  } catch {
    return null
  }
}
