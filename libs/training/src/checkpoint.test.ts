/** Checkpoints: what is written is read, and what is damaged is refused. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { CheckpointInvalid, readCheckpoint, type TrainingState, writeCheckpoint } from './index.ts'

const state: TrainingState = {
  step: 12,
  vectors: new Map([
    ['weights', Float32Array.of(1, -2.5, Number.NaN, 0)],
    ['empty', new Float32Array()],
    ['a name with ü', Float32Array.of(3e-45, Infinity)],
  ]),
}

test('a checkpoint is read as it was written', () => {
  assert.deepEqual(readCheckpoint(writeCheckpoint(state)), { ...state, run: null })
  const run = { curves: [0.1 + 0.2, 'ü'] }
  assert.deepEqual(readCheckpoint(writeCheckpoint(state, run)), { ...state, run })
  // Wherever it lies in a buffer.
  const bytes = writeCheckpoint(state)
  assert.deepEqual(readCheckpoint(Buffer.concat([Buffer.alloc(1), bytes]).subarray(1)), { ...state, run: null })
})

test('a checkpoint with any byte changed, or cut off anywhere, is refused', () => {
  const bytes = writeCheckpoint(state)
  for (const at of bytes.keys()) {
    assert.throws(() => readCheckpoint(bytes.with(at, (bytes[at] as number) ^ 1)), CheckpointInvalid)
    assert.throws(() => readCheckpoint(bytes.subarray(0, at)), CheckpointInvalid)
  }
})

test('a checkpoint of another version is refused', () => {
  const content = Buffer.from(writeCheckpoint(state).subarray(0, -32))
  content.write('"version":1', content.indexOf('"version":'))
  const bytes = Buffer.concat([content, createHash('sha256').update(content).digest()])
  assert.throws(() => readCheckpoint(bytes), /^CheckpointInvalid: the checkpoint is of version 1$/)
})
