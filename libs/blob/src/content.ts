/** Contents on their way into a store. */
import { addAbortListener } from 'node:events'
import { finished, Readable } from 'node:stream'
import { BlobTooLarge, type PutOptions } from './blobs.ts'

export type Content = Readable | Uint8Array

/**
 * The contents in parts as they come. Throws `BlobTooLarge` as soon as more than `maxBytes` have come, the stream's own
 * error, and the signal's reason, also while it waits. A stream that was not read to its end is left undestroyed, with
 * none of our listeners on it.
 */
export async function* parts(
  content: Content,
  { maxBytes = Number.POSITIVE_INFINITY, signal }: PutOptions = {},
): AsyncGenerator<Uint8Array, void> {
  signal?.throwIfAborted()
  let size = 0
  for await (const part of content instanceof Readable ? chunks(content, signal) : [content]) {
    size += part.length
    if (size > maxBytes) throw new BlobTooLarge(maxBytes)
    yield part
    signal?.throwIfAborted()
  }
}

/** Until it is disposed, a stream that breaks while nobody reads it does not end the process. */
export function hearErrors(content: Content): Disposable {
  const heard = () => undefined
  if (content instanceof Readable) content.on('error', heard)
  return { [Symbol.dispose]: () => content instanceof Readable && content.off('error', heard) }
}

/**
 * Node's own iterator can't be left while the stream is silent: its listeners stay, and keep the owner from draining it.
 * Nor may each chunk race one promise of the signal, which would hold all the chunks until the signal ends.
 */
async function* chunks(stream: Readable, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array, void> {
  let ended = false
  let failure: Error | null | undefined
  let wake: () => void = () => undefined
  const look = () => wake()
  stream.on('readable', look)
  const stopWatching = finished(stream, { writable: false }, error => {
    ended = true
    failure = error
    look()
  })
  using _ = signal && addAbortListener(signal, look)
  try {
    for (;;) {
      signal?.throwIfAborted()
      const chunk = stream.destroyed ? null : stream.read()
      if (chunk !== null) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
      else if (failure) throw failure
      else if (ended) return
      else await new Promise<void>(resolve => (wake = resolve))
    }
  } finally {
    stopWatching()
    stream.off('readable', look)
  }
}
