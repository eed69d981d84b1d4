import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { OnnxInvalid, readOnnx } from './onnx-file.ts'

const bytes = readFileSync(new URL('../../../deploy/models/digits/model.onnx', import.meta.url))
const hostile = (name: string) =>
  readFileSync(new URL(`../../../services/executor/src/onnx/fixtures/hostile-models/${name}.onnx`, import.meta.url))

test('finds weights in other files, also inside a branch, and compiled graphs', () => {
  assert.equal(readOnnx(bytes).refused, undefined)
  assert.match(readOnnx(hostile('external-data')).refused ?? '', /external data/)
  assert.match(readOnnx(hostile('external-data-inside')).refused ?? '', /external data/)
  assert.match(readOnnx(hostile('ep-context')).refused ?? '', /EPContext/)
})

/** A model whose one input has a shape of one dimension, as these bytes of a varint. */
function withLength(...varint: number[]): Uint8Array {
  const inside = (number: number, content: number[]) => [number * 8 + 2, content.length, ...content]
  const shape = inside(2, inside(1, [8, ...varint]))
  const input = [...inside(1, [0x78]), ...inside(2, inside(1, [8, 1, ...shape]))]
  return Uint8Array.from(inside(7, inside(11, input)))
}

test('a length is told as it is written, or refused where no answer can hold it', () => {
  const shape = (...varint: number[]) => readOnnx(withLength(...varint)).inputs[0]?.shape
  const bytes = (count: number, last: number) => [...Array(count).fill(0xff), last]
  assert.deepEqual(shape(0xac, 0x02), [300])
  assert.deepEqual(shape(...bytes(4, 0x07)), [2 ** 31 - 1])
  assert.throws(() => shape(...Array(4).fill(0x80), 0x08), /2\^31/)
  assert.throws(() => shape(...bytes(7, 0x0f)), /2\^31/)
  assert.throws(() => shape(...bytes(8, 0x7f)), OnnxInvalid)
  // -1, which exporters write for any length.
  assert.deepEqual(shape(...bytes(9, 0x01)), [-1])
})

test('bytes cut off or changed anywhere are read or refused, never worse', () => {
  const refusedOrRead = (changed: Uint8Array) => {
    try {
      readOnnx(changed)
    } catch (error) {
      assert.ok(error instanceof OnnxInvalid, String(error))
    }
  }
  const place = fc.nat(bytes.length - 1)
  fc.assert(fc.property(place, length => refusedOrRead(bytes.subarray(0, length))))
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(700), fc.nat(255)), { minLength: 1 }), changes => {
      const changed = Buffer.from(bytes)
      for (const [at, value] of changes) changed[at] = value
      refusedOrRead(changed)
    }),
  )
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), refusedOrRead))
})
