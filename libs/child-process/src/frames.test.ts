import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decodeMessage, encodeMessage } from './child-message.ts'
import { frame, frameReader } from './frames.ts'

/** What a reader gives for these pieces. */
function read(pieces: readonly Uint8Array[], room = () => 1_000): Buffer[] {
  const frames: Buffer[] = []
  const take = frameReader(room, one => frames.push(Buffer.from(one)))
  for (const piece of pieces) take(Buffer.from(piece))
  return frames
}

const payloads = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 })
const written = (all: readonly Uint8Array[]) => Buffer.concat(all.flatMap(frame))

describe('frames', () => {
  it('come out as they went in, in whatever pieces', () => {
    fc.assert(
      fc.property(payloads, fc.integer({ min: 1, max: 700 }), (all, size) => {
        const bytes = written(all)
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        )
        assert.deepEqual(
          read(pieces).map(one => [...one]),
          all.map(one => [...one]),
        )
      }),
    )
  })

  it('of more than there is room for end the reading before any of it is kept', () => {
    assert.throws(() => read([written([new Uint8Array(1_001)])]), RangeError)
    assert.throws(() => read([Uint8Array.of(0xff, 0xff, 0xff, 0xff)]), RangeError)
    let room = 10
    assert.throws(
      () => read([written([new Uint8Array(6)]), written([new Uint8Array(6)])], () => (room -= 3)),
      RangeError,
    )
  })
})

describe('what a child says', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.json()), payloads, (head, parts) => {
        const message = decodeMessage(encodeMessage(head, parts))
        assert.equal(JSON.stringify(message?.head), JSON.stringify(head))
        assert.deepEqual(
          message?.parts.map(one => [...one]),
          parts.map(one => [...one]),
        )
      }),
    )
  })

  it('is nothing where it is anything else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.integer({ max: 4, min: 0 }), (bytes, count) => {
        const message = decodeMessage(Buffer.concat([Uint8Array.of(count, 0, 0, 0), bytes]))
        if (message) assert.equal(message.parts.length, count - 1)
      }),
    )
    assert.equal(decodeMessage(encodeMessage({}, []).subarray(0, -1)), undefined)
    assert.equal(decodeMessage(Buffer.concat([encodeMessage({}, []), Buffer.alloc(1)])), undefined)
    assert.equal(decodeMessage(encodeMessage(['x'.repeat(2 ** 22)], [])), undefined)
  })
})
