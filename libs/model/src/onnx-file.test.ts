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
