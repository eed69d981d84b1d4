/**
 * Frames on a stream of bytes: the length, then so many bytes. Node's own channel between processes takes messages of
 * 2 GiB, and some that are not for us: whoever writes junk to it ends the process that reads.
 */
export const frame = (payload: Uint8Array): [Buffer, Uint8Array] => {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(payload.length)
  return [length, payload]
}

/**
 * Takes what a stream gives, in whatever pieces, and gives its frames. Throws a
 * `RangeError` for a frame longer than `room` says when it begins, before it keeps anything of it.
 */
export function frameReader(room: () => number, onFrame: (payload: Buffer) => void): (chunk: Buffer) => void {
  const length = Buffer.alloc(LENGTH_BYTES)
  let known = 0
  let payload: Buffer = Buffer.alloc(0)
  let filled = 0
  return chunk => {
    let at = 0
    while (at < chunk.length) {
      if (known < LENGTH_BYTES) {
        const copied = chunk.copy(length, known, at)
        known += copied
        at += copied
        if (known < LENGTH_BYTES) return
        if (length.readUInt32LE() > room()) throw new RangeError('a frame is too long')
      }
      const wanted = length.readUInt32LE()
      const piece = chunk.subarray(at, at + wanted - filled)
      at += piece.length
      // Copied into one buffer: pieces of one byte each would hold a hundred times their size.
      if (piece.length === wanted) payload = piece
      else payload = appended(payload, filled, piece, wanted)
      filled += piece.length
      if (filled < wanted) return
      const whole = payload.subarray(0, filled)
      known = 0
      filled = 0
      payload = Buffer.alloc(0)
      onFrame(whole)
    }
  }
}

const LENGTH_BYTES = 4

/** Grows by doubling: it takes the double of what has come, never what was only announced. */
function appended(buffer: Buffer, filled: number, piece: Buffer, most: number): Buffer {
  const needed = filled + piece.length
  let grown = buffer
  if (needed > buffer.length) {
    grown = Buffer.allocUnsafeSlow(Math.min(most, Math.max(2 * needed, 4_096)))
    buffer.copy(grown, 0, 0, filled)
  }
  piece.copy(grown, filled)
  return grown
}
