/** Parts of any length, cut into pieces of one length. */

/** Pieces of `length` bytes, the last one shorter. A piece is only good until the next is asked for: they share memory. */
export async function* pieces(parts: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array, void> {
  const piece = Buffer.allocUnsafeSlow(length)
  let filled = 0
  for await (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const taken = Math.min(length - filled, part.length - at)
      piece.set(part.subarray(at, at + taken), filled)
      at += taken
      filled += taken
      if (filled < length) continue
      yield piece
      filled = 0
    }
  }
  if (filled > 0) yield piece.subarray(0, filled)
}
