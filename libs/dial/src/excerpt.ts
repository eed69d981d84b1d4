/** What is kept of the body of an answer. */
import type { Readable } from 'node:stream'
import type { Clock } from '@millhand/process'

/** Of the body as it comes: nothing is decompressed. */
const EXCERPT_BYTES = 4 * 1024
/** So much more is read for the sake of the connection; a body that goes on costs it. */
const DRAINED_BYTES = 64 * 1024
/** The status is known by then: what of the body has not come so long after it is not waited for. */
const BODY_MS = 2_000

export interface Excerpt {
  /** Of its first 4 KiB: what is not UTF-8 is replaced, a character that is cut off left out. */
  readonly text: string
  /** The body has ended. It may also break off, be long or slow: that is no failure, for the status has been said. */
  readonly whole: boolean
}

export function readExcerpt(body: Readable, clock: Clock, signal: AbortSignal): Promise<Excerpt> {
  return new Promise(resolve => {
    const kept: Uint8Array[] = []
    let bytes = 0
    const end = (whole: boolean) => {
      timer.cancel()
      signal.removeEventListener('abort', cut)
      const text = new TextDecoder().decode(Buffer.concat(kept), { stream: !whole || bytes > EXCERPT_BYTES })
      resolve({ text, whole })
    }
    const cut = () => end(false)
    const timer = clock.timer(BODY_MS, cut)
    signal.addEventListener('abort', cut)
    body.on('data', (chunk: Uint8Array) => {
      if (bytes < EXCERPT_BYTES) kept.push(chunk.subarray(0, EXCERPT_BYTES - bytes))
      bytes += chunk.length
      if (bytes > EXCERPT_BYTES + DRAINED_BYTES) cut()
    })
    body.once('end', () => end(true))
    body.once('close', cut)
    body.on('error', cut)
  })
}
