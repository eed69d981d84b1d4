/**
 * A `TrainingState` as bytes: the length of the head in 4 bytes, the head in JSON, the vectors in their order as
 * little-endian float32, and the SHA-256 of all that.
 */
import { createHash } from 'node:crypto'
import type { TrainingState } from './training-steps.ts'

/** The bytes are no whole checkpoint. */
export class CheckpointInvalid extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'CheckpointInvalid'
  }
}

/** `run`: what else the rest of a run depends on, as JSON. */
export function writeCheckpoint({ step, vectors }: TrainingState, run: unknown = null): Uint8Array {
  const head: Head = { version: VERSION, step, run, vectors: [...vectors].map(([name, { length }]) => [name, length]) }
  const text = Buffer.from(JSON.stringify(head))
  const size = Buffer.alloc(4)
  size.writeUInt32LE(text.length)
  const arrays = [...vectors.values()].map(({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer, byteOffset, byteLength),
  )
  const content = Buffer.concat([size, text, ...arrays])
  return Buffer.concat([content, digestOf(content)])
}

/** Throws `CheckpointInvalid` where a byte is missing or changed, and for those of another version. */
export function readCheckpoint(bytes: Uint8Array): TrainingState & { readonly run: unknown } {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const content = whole.subarray(0, -DIGEST_BYTES)
  if (whole.length < DIGEST_BYTES + 4 || !digestOf(content).equals(whole.subarray(-DIGEST_BYTES))) {
    throw new CheckpointInvalid('the checkpoint is cut off or damaged')
  }
  const start = 4 + content.readUInt32LE(0)
  const { version, step, run, vectors } = JSON.parse(content.toString('utf8', 4, start)) as Head
  if (version !== VERSION) throw new CheckpointInvalid(`the checkpoint is of version ${version}`)
  let at = start
  return {
    step,
    run,
    vectors: new Map(
      vectors.map(([name, length]) => {
        // A copy, which begins where a float may.
        const data = new Float32Array(Uint8Array.from(content.subarray(at, at + length * 4)).buffer)
        at += length * 4
        return [name, data]
      }),
    ),
  }
}

interface Head {
  readonly version: number
  readonly step: number
  readonly run: unknown
  readonly vectors: readonly (readonly [string, number])[]
}

/** One more where the states of an optimizer get another meaning. */
const VERSION = 2
const DIGEST_BYTES = 32

const digestOf = (content: Uint8Array): Buffer => createHash('sha256').update(content).digest()
