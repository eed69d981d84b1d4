import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DTYPES, type Dtype } from './dtype.ts'
import { elementCount, InputInvalid, readTensors, type Tensor, writeTensors } from './tensors.ts'

const one = (tensor: unknown) => readTensors(JSON.stringify({ x: tensor })).tensors.get('x') as Tensor
const written = (tensor: Tensor, base64 = false) => JSON.parse(writeTensors([['x', tensor]], base64)).x

test('every type reads what it writes, as a list and as base64', () => {
  const samples: Record<Dtype, unknown[]> = {
    float32: [0, -1.5, 3.4028234663852886e38, 'NaN', 'Infinity', '-Infinity'],
    float64: [0.1, 1e308, 5e-324, 'NaN', 'Infinity', '-Infinity'],
    float16: [0.5, 65504, -2, 'NaN', 'Infinity', '-Infinity'],
    int8: [-128, 127],
    uint8: [0, 255],
    int16: [-32768, 32767],
    uint16: [0, 65535],
    int32: [-(2 ** 31), 2 ** 31 - 1],
    uint32: [0, 2 ** 32 - 1],
    int64: [-1, 2 ** 53 - 1, '9223372036854775807', '-9223372036854775808'],
    uint64: [0, '18446744073709551615'],
    bool: [true, false],
    string: ['', 'naïve \u{1f600}'],
  }
  for (const dtype of DTYPES) {
    const json = { dtype, shape: [samples[dtype].length], data: samples[dtype] }
    const tensor = one(json)
    assert.deepEqual(written(tensor), json, dtype)
    if (dtype !== 'string') assert.deepEqual(written(one(written(tensor, true))), json, `${dtype} by base64`)
  }
})

test('a float32 written with few digits reads back as the same float32', () => {
  fc.assert(
    fc.property(fc.float(), value => {
      const text = writeTensors([['x', { dtype: 'float32', shape: [1], data: Float32Array.of(value) }]], false)
      const tensor = readTensors(text).tensors.get('x') as Tensor
      const [back] = tensor.data as Float32Array
      assert.ok(Object.is(back, Math.fround(value)), `${value} came back as ${back}`)
    }),
  )
  const tenth: Tensor = { dtype: 'float32', shape: [1], data: Float32Array.of(0.1) }
  assert.equal(writeTensors([['x', tenth]], false), '{"x":{"dtype":"float32","shape":[1],"data":[0.1]}}')
})

test('a number that is rounded to the largest of its type is that one', () => {
  for (const [dtype, number, is] of [
    ['float16', 65_519, 65_504],
    ['float32', 3.402_823_567_797_336e38, 3.402_823_466_385_288_6e38],
  ] as const)
    assert.equal(one({ dtype, shape: [1], data: [number] }).data[0], is)
})

test('the sign of zero is kept', () => {
  for (const [dtype, data] of [
    ['float64', Float64Array.of(-0)],
    ['float32', Float32Array.of(-0)],
    ['float16', Float16Array.of(-0)],
  ] as const) {
    const text = writeTensors([['x', { dtype, shape: [1], data }]], false)
    assert.ok(Object.is(readTensors(text).tensors.get('x')?.data[0], -0), text)
  }
})

test('base64 is little-endian, and is told to the writer', () => {
  const { tensors, base64 } = readTensors('{"x":{"dtype":"int32","shape":[1],"data":"AQAAAA=="}}')
  assert.deepEqual(tensors.get('x')?.data, Int32Array.of(1))
  assert.equal(base64, true)
  assert.equal(readTensors('{"x":{"dtype":"int32","shape":[1],"data":[1]}}').base64, false)
})

test('a scalar has shape [] and one element', () => {
  assert.deepEqual(one({ dtype: 'float32', shape: [], data: [2] }).data, Float32Array.of(2))
  assert.equal(elementCount([]), 1)
})

const refused: [what: string, input: string, says: RegExp][] = [
  ['no JSON', '{', /not JSON/],
  ['a list', '[]', /object of named tensors/],
  ['no object', '{"x":3}', /tensor `x` must be an object/],
  ['an unknown field', '{"x":{"dtype":"int8","shape":[],"data":[1],"more":1}}', /unknown field `more`/],
  ['an unknown type', '{"x":{"dtype":"float8","shape":[],"data":[1]}}', /dtype must be one of float32/],
  ['a name of the prototype as type', '{"x":{"dtype":"toString","shape":[],"data":[1]}}', /dtype must be one of/],
  ['too few', '{"x":{"dtype":"int8","shape":[3],"data":[1]}}', /needs 3 elements, data has 1/],
  ['a negative length', '{"x":{"dtype":"int8","shape":[-1],"data":[]}}', /whole numbers/],
  ['a shape that overflows', '{"x":{"dtype":"int8","shape":[4294967296,4294967296],"data":[]}}', /below 2\^53/],
  ['too many axes', `{"x":{"dtype":"int8","shape":[${Array(17).fill(1)}],"data":[1]}}`, /at most 16/],
  [
    'a number out of range',
    '{"x":{"dtype":"uint8","shape":[2],"data":[1,256]}}',
    /data\[1\] is 256, which is no uint8/,
  ],
  ['a fraction', '{"x":{"dtype":"int32","shape":[1],"data":[1.5]}}', /which is no int32/],
  ...[
    ['float64', '1e400'],
    ['float64', '-1e400'],
    ['float32', '1e39'],
    ['float32', '3.4028235677973366e38'],
    ['float16', '70000'],
    ['float16', '-65520'],
  ].map(([dtype, number]): (typeof refused)[number] => [
    `${number}, which would be infinite as ${dtype}`,
    `{"x":{"dtype":"${dtype}","shape":[1],"data":[${number}]}}`,
    new RegExp(`data\\[0\\] is \\S+, which is no ${dtype}`),
  ]),
  ['null', '{"x":{"dtype":"float32","shape":[1],"data":[null]}}', /data\[0\] is null/],
  ['a word that is no number', '{"x":{"dtype":"float32","shape":[1],"data":["toString"]}}', /no float32/],
  ['an int64 beyond its range', '{"x":{"dtype":"int64","shape":[1],"data":["9223372036854775808"]}}', /no int64/],
  ['an int64 that JSON has rounded', '{"x":{"dtype":"int64","shape":[1],"data":[9223372036854775807]}}', /no int64/],
  ['base64 of another length', '{"x":{"dtype":"int32","shape":[2],"data":"AQAAAA=="}}', /needs 8 bytes, data has 4/],
  ['no base64', '{"x":{"dtype":"int32","shape":[1],"data":"!!!!"}}', /not base64/],
  ['strings as base64', '{"x":{"dtype":"string","shape":[1],"data":"AAAA"}}', /strings must come as a list/],
  ['a string with NUL', '{"x":{"dtype":"string","shape":[2],"data":["a","b\\u0000c"]}}', /data\[1\] holds .*U\+0000/],
  ['half of a pair', '{"x":{"dtype":"string","shape":[1],"data":["\\ud83d"]}}', /data\[0\] has half of a surrogate/],
  ['a list for a number', '{"x":{"dtype":"int8","shape":[1],"data":[[1]]}}', /data\[0\] is a list, which is no int8/],
  ['an object for a string', '{"x":{"dtype":"string","shape":[1],"data":[{}]}}', /is an object, which is no string/],
  ['a bool byte of 2', '{"x":{"dtype":"bool","shape":[1],"data":"Ag=="}}', /must be 0 or 1/],
]

for (const [what, input, says] of refused) {
  test(`refuses ${what}`, () => {
    assert.throws(
      () => readTensors(input),
      error => error instanceof InputInvalid && says.test(error.message),
    )
  })
}

test('data that nests deeper than any stack is refused as any other', () => {
  const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const says = (text: string) => (error: unknown) => error instanceof InputInvalid && error.message.includes(text)
  assert.throws(
    () => readTensors(`{"x":{"dtype":"float32","shape":[1],"data":[${nested}]}}`),
    says('data[0] is a list, which is no float32'),
  )
  assert.throws(() => readTensors(`{"x":{"dtype":"float32","shape":[${nested}],"data":[]}}`), says('whole numbers'))
  assert.throws(() => readTensors(`{"x":{"dtype":${nested},"shape":[],"data":[]}}`), says('dtype must be one of'))
})

test('a message tells back no more than the beginning of what was sent', () => {
  const long = 'n'.repeat(400_000)
  for (const input of [
    `{"${long}":3}`,
    `{"${long}":{"dtype":"int8","shape":[1],"data":[1.5]}}`,
    `{"x":{"dtype":"int8","shape":[],"data":[1],"${long}":1}}`,
    `{"x":{"dtype":"int8","shape":[1],"data":["${long}"]}}`,
    `{"x":{"dtype":"${long}","shape":[1],"data":[1]}}`,
    long,
    `"${long}`,
  ]) {
    assert.throws(
      () => readTensors(input),
      error => error instanceof InputInvalid && error.message.length < 300,
      input.slice(0, 40),
    )
  }
})

test('what is told back of a name is text, also where it was cut in half of a pair', () => {
  assert.throws(
    () => readTensors(`{"${'n'.repeat(63)}\u{1f600}":3}`),
    error => error instanceof InputInvalid && error.message.isWellFormed(),
  )
})

test('a tensor may be called __proto__', () => {
  const { tensors } = readTensors('{"__proto__":{"dtype":"int8","shape":[],"data":[1]}}')
  assert.deepEqual([...tensors.keys()], ['__proto__'])
})
