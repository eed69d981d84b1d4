import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxFaults } from '../errors.ts'
import { TaskPriority, TaskType } from '../gen/millhand/compute/v1/task_pb.ts'
import { CreateTaskRequestSchema } from '../gen/millhand/compute/v1/task_request_pb.ts'
import { everyKind } from './every-kind.fixture.ts'
import { jsonReader } from './reader.ts'

const read = jsonReader(CreateTaskRequestSchema)
const readEvery = jsonReader(everyKind)
const task = { type: 'inference', model: 'digits', input: 'x' }

test('a request becomes its message', () => {
  const reading = read({ ...task, priority: 'high', run_timeout_s: 5, metadata: { team: 'a' }, parameters: { n: [1] } })
  assert.ok(reading.ok)
  const { message } = reading
  assert.equal(message.type, TaskType.INFERENCE)
  assert.equal(message.priority, TaskPriority.HIGH)
  assert.equal(message.runTimeoutS, 5)
  assert.equal(message.queueTimeoutS, undefined)
  assert.deepEqual(message.metadata, { team: 'a' })
  assert.deepEqual(message.parameters, { n: [1] })
})

test('every fault is named, not the first', () => {
  const faults = faultsOf(
    read({
      type: 'x',
      run_timeout_s: 1.5,
      queue_timeout_s: -1,
      max_attempts: '3',
      metadata: { a: 1, b: 'c' },
      colour: 1,
      maxAttempts: 1,
      priorty: 'high',
    }),
  )
  assert.deepEqual(faults, [
    ['type', 'not_in', '`type` must be one of inference, training, batch, custom.'],
    ['run_timeout_s', 'wrong_type', '`run_timeout_s` must be an integer.'],
    ['queue_timeout_s', 'out_of_range', '`queue_timeout_s` must be from 0 to 4294967295.'],
    ['max_attempts', 'wrong_type', '`max_attempts` must be an integer.'],
    ['metadata.a', 'wrong_type', '`metadata.a` must be a string.'],
    ['colour', 'unknown_parameter', '`colour` is not a parameter.'],
    // What is given already was not meant.
    ['maxAttempts', 'unknown_parameter', '`maxAttempts` is not a parameter.'],
    ['priorty', 'unknown_parameter', '`priorty` is not a parameter, but `priority` is.'],
    ['model', 'missing_parameter', '`model` is required.'],
  ])
})

test('what has a fault is not in the part that was read; what has none is', () => {
  const reading = readEvery({
    labels: { good: 'a', number: 1, null: null, object: {}, half: '\ud800', '\udfff': 'a' },
    colours: ['red', 'none'],
    a_string: 5,
    a_bool: true,
  })
  assert.ok(!reading.ok && reading.partial)
  const { labels, colours, aString, aBool } = reading.partial as unknown as Record<string, unknown>
  assert.deepEqual([labels, colours, aString, aBool], [{ good: 'a' }, [], '', true])
})

test('null is absent, except where a value is required', () => {
  assert.ok(read({ ...task, priority: null, metadata: null, parameters: null }).ok)
  assert.deepEqual(faultsOf(read({ ...task, type: null, model: null })), [
    ['type', 'not_in', '`type` must be one of inference, training, batch, custom.'],
    ['model', 'wrong_type', '`model` must be a string.'],
  ])
})

for (const type of ['TASK_TYPE_INFERENCE', 'Inference', 'unspecified', '', 1, 0, true, ['inference'], {}]) {
  test(`${JSON.stringify(type)} is no task type`, () => {
    assert.deepEqual(
      faultsOf(read({ ...task, type })).map(([param, code]) => [param, code]),
      [['type', 'not_in']],
    )
  })
}

for (const value of [null, [], 'x', 1, true]) {
  test(`${JSON.stringify(value)} is no request`, () => {
    assert.deepEqual(faultsOf(read(value)), [['', 'wrong_type', 'The request must be a JSON object.']])
  })
}

test('paths name the item and the member', () => {
  const value = { nested_list: [{}, { nested: { a_string_list: ['a', 1] } }], labels: { a: false }, nested: { x: 1 } }
  assert.deepEqual(
    faultsOf(readEvery(value)).map(([param]) => param),
    ['nested_list[1].nested.a_string_list[1]', 'labels.a', 'nested.x'],
  )
})

for (const [name, value, code] of [
  ['a_bool', 'true', 'wrong_type'],
  ['a_bool', 1, 'wrong_type'],
  ['a_uint32', 2 ** 32, 'out_of_range'],
  ['a_uint32', -1, 'out_of_range'],
  ['a_uint32', 0.5, 'wrong_type'],
  ['a_uint32', JSON.parse('1e999'), 'out_of_range'],
  ['a_uint32', '5', 'wrong_type'],
  ['an_int32', 2 ** 31, 'out_of_range'],
  ['an_int64', 2 ** 53, 'wrong_type'],
  ['an_int64', '5', 'wrong_type'],
  ['an_int64', '9223372036854775808', 'out_of_range'],
  ['a_uint64', -1, 'out_of_range'],
  ['a_double', JSON.parse('1e999'), 'out_of_range'],
  ['a_double', 'nan', 'wrong_type'],
  ['a_float', 1e39, 'out_of_range'],
  ['some_bytes', 'AA', 'wrong_type'],
  ['some_bytes', '!!!!', 'wrong_type'],
  ['a_string', '\ud800', 'wrong_type'],
  ['a_string', 'a\0b', 'wrong_type'],
  ['a_string', 1, 'wrong_type'],
  ['a_string', ['a'], 'wrong_type'],
  ['a_time', 'yesterday', 'wrong_type'],
  ['a_time', 0, 'wrong_type'],
  ['an_object', [], 'wrong_type'],
  ['an_object', { a: ['\udfff'] }, 'wrong_type'],
  ['an_object', { '\ud800': 1 }, 'wrong_type'],
  ['an_object', { a: ['\0'] }, 'wrong_type'],
  ['an_object', { '\0': 1 }, 'wrong_type'],
  ['an_object', { a: JSON.parse('1e999') }, 'out_of_range'],
  ['labels', ['a'], 'wrong_type'],
  ['labels', { '\ud800': 'a' }, 'wrong_type'],
  ['labels', { '\0': 'a' }, 'wrong_type'],
  ['labels', { a: null }, 'wrong_type'],
  ['colours', 'red', 'wrong_type'],
  ['colours', ['red', 'green'], 'not_in'],
  ['colours', [null], 'not_in'],
  ['nested', 'x', 'wrong_type'],
  ['one_flag', 0, 'wrong_type'],
] as const) {
  test(`${name}: ${JSON.stringify(value)?.slice(0, 30)} is ${code}`, () => {
    assert.deepEqual(
      faultsOf(readEvery({ [name]: value })).map(([, found]) => found),
      [code],
    )
  })
}

test('of a oneof one member can be set', () => {
  assert.ok(readEvery({ one_text: 'a', one_flag: null }).ok)
  assert.deepEqual(
    faultsOf(readEvery({ one_text: 'a', one_flag: true })).map(([param, code]) => [param, code]),
    [['one_flag', 'conflicting']],
  )
})

test('`__proto__` is an unknown parameter, a label or a member like any other', () => {
  assert.deepEqual(
    faultsOf(read(JSON.parse('{"type":"inference","model":"a","input":"b","__proto__":{"x":1}}'))).map(
      ([param]) => param,
    ),
    ['__proto__'],
  )
  const reading = read({ ...task, ...JSON.parse('{"metadata":{"__proto__":"a","constructor":"b"}}') })
  assert.ok(reading.ok)
  assert.deepEqual(Object.entries(reading.message.metadata), [
    ['__proto__', 'a'],
    ['constructor', 'b'],
  ])
  assert.equal(Object.getPrototypeOf(reading.message.metadata), Object.prototype)
})

test('nesting stops at 64 levels, in free objects and in messages', () => {
  const deep = (levels: number) => JSON.parse(`${'{"nested":'.repeat(levels)}{}${'}'.repeat(levels)}`)
  assert.ok(readEvery(deep(63)).ok)
  assert.deepEqual(
    faultsOf(readEvery(deep(64))).map(([, code]) => code),
    ['too_deep'],
  )
  assert.ok(readEvery({ an_object: deep(62) }).ok)
  assert.deepEqual(
    faultsOf(readEvery({ an_object: deep(63) })).map(([, code]) => code),
    ['too_deep'],
  )
  const lists = JSON.parse(`{"an_object":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`)
  assert.deepEqual(
    faultsOf(readEvery(lists)).map(([, code]) => code),
    ['too_deep'],
  )
})

test('a hostile body makes no large answer', () => {
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`unknown${n}`, 1]))
  assert.equal(faultsOf(read({ ...task, ...many })).length, maxFaults + 1, 'those shown, and one more')
  const [[param = '', , message = ''] = []] = faultsOf(read({ ...task, ['\ud800'.repeat(100_000)]: 1 }))
  assert.ok(param.length < 300 && param.isWellFormed() && message.length < 400)
})

test('reading stops at the faults that an answer shows, however many there are', () => {
  const many = <Item>(item: Item) => Array.from({ length: 10_000 }, () => item)
  const keyed = Object.fromEntries(many(1).map((value, at) => [`k${at}`, value]))
  for (const [name, value] of [
    ['nested_list', many(1)],
    ['an_int32_list', many('x')],
    ['colours', many('none')],
    ['labels', keyed],
    ['nested', keyed],
    ['an_object', { a: many('\0') }],
    ['an_object', Object.fromEntries(many(Infinity).map((each, at) => [`k${at}`, each]))],
    ['an_object', { a: { b: many(['\ud800']) } }],
  ] as const) {
    const reads = { count: 0 }
    assert.equal(faultsOf(readEvery({ [name]: counted(value, reads) })).length, maxFaults + 1, name)
    assert.ok(reads.count < 1_000, `${reads.count} reads of ${name}`)
  }
})

test('a list or a map with too many entries is one fault, and no entry is read', () => {
  const unread = (entries: object) =>
    new Proxy(entries, {
      get: (target, key) => {
        assert.ok(key === 'length', `${String(key)} was read`)
        return Reflect.get(target, key)
      },
    })
  const metadata = unread(Object.fromEntries(Array.from({ length: 17 }, (_, at) => [at, 1])))
  const events = unread(Array.from({ length: 100 }, () => 1))
  assert.deepEqual(faultsOf(read({ ...task, metadata, callback: { url: 'https://a.example', events } })), [
    ['metadata', 'too_many', '`metadata` must have at most 16 entries.'],
    ['callback.events', 'too_many', '`callback.events` must contain no more than 20 item(s).'],
  ])
})

test('fields that come from the path are unknown in the body', () => {
  const readRest = jsonReader(CreateTaskRequestSchema, { omit: ['model'] })
  assert.ok(readRest({ type: 'inference', input: 'x' }).ok)
  assert.deepEqual(
    faultsOf(readRest(task)).map(([param, code]) => [param, code]),
    [['model', 'unknown_parameter']],
  )
})

function faultsOf(reading: ReturnType<typeof read> | ReturnType<typeof readEvery>): string[][] {
  assert.equal(reading.ok, false)
  return reading.ok ? [] : reading.faults.map(({ param, code, message }) => [param, code, message])
}

/** The same value; what is read of its entries is counted, at every level. */
function counted<Value extends object>(value: Value, reads: { count: number }): Value {
  return new Proxy(value, {
    get(target, key) {
      reads.count++
      const found: unknown = Reflect.get(target, key)
      return typeof found === 'object' && found !== null ? counted(found, reads) : found
    },
  })
}
