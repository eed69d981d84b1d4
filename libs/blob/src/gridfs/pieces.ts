/** Contents as they come, cut into pieces of one length. */
import { addAbortListener } from 'node:events'
import { Readable } from 'node:stream'
import { BlobTooLarge } from '../blobs.ts'

/**
 * Pieces of `length` bytes, the last one shorter. A piece is only good until the next is asked for: they share memory.
 * Throws `BlobTooLarge` as soon as more than `maxBytes` have come, the stream's own error, and the signal's reason, also
 * while it waits. A stream that was not read to its end is left undestroyed.
 */
export async function* pieces(
  content: Readable | Uint8Array,
  length: number,
  maxBytes = Number.POSITIVE_INFINITY,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const piece = Buffer.allocUnsafeSlow(content instanceof Readable ? length : Math.min(length, content.length))
  let size = 0
  let filled = 0
  for await (const part of parts(content, signal)) {
    size += part.length
    if (size > maxBytes) throw new BlobTooLarge(maxBytes)
    for (let at = 0; at < part.length; ) {
      const taken = Math.min(length - filled, part.length - at)
      piece.set(part.subarray(at, at + taken), filled)
      at += taken
      filled += taken
      if (filled < length) continue
      yield piece
      signal?.throwIfAborted()
      filled = 0
    }
  }
  if (filled > 0) yield piece.subarray(0, filled)
}

async function* parts(content: Readable | Uint8Array, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  if (!(content instanceof Readable)) return yield content
  const reading = content.iterator({ destroyOnReturn: false })
  try {
    for (;;) {
      const next = await unlessAborted(reading.next(), signal)
      if (next.done) return
      yield typeof next.value === 'string' ? Buffer.from(next.value) : next.value
    }
  } finally {
    // Takes its listeners off the stream; where that is silent, when it speaks again, which nobody waits for.
    reading.return?.().catch(() => undefined)
  }
}

/** A promise of its own for each wait: one that outlives the waits would hold all that they were given. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  const aborted = Promise.withResolvers<never>()
  using _ = addAbortListener(signal, () => aborted.reject(signal.reason))
  return await Promise.race([promise, aborted.promise])
}
