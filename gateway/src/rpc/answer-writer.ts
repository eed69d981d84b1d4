/** Writes the body of an answer no faster than its caller takes it. */
import type { Writable } from 'node:stream'
import { CallerGone } from '../exchange.ts'

/**
 * Resolves when all of it is written. `cut` is called where the caller takes nothing for `readerMs`, and has to close
 * `to`. Fails with `CallerGone`, and then ends what makes the body.
 */
export async function writeBody(
  to: Writable,
  body: AsyncIterable<Uint8Array>,
  { readerMs, cut }: { readonly readerMs: number; readonly cut: () => void },
): Promise<void> {
  for await (const chunk of body) {
    if (to.destroyed) throw new CallerGone('the caller left before its answer was sent')
    if (!to.write(chunk)) await taken(to, readerMs, cut)
  }
}

function taken(to: Writable, readerMs: number, cut: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(cut, readerMs)
    const settle = () => {
      clearTimeout(timer)
      to.off('drain', settle).off('close', settle)
      if (to.destroyed) reject(new CallerGone('the caller left, or takes nothing'))
      else resolve()
    }
    to.on('drain', settle).on('close', settle)
  })
}
