/** A body that is sent as it comes. */
import { CallerGone, type Exchange } from '../exchange.ts'

/**
 * Sends `length` bytes as the body of an answer that was begun, and takes the next when the caller has taken those
 * before. Fails with `CallerGone`, also when the caller takes nothing in the time that it has, and as `bytes` does; also
 * where there are more or fewer.
 */
export async function sendBytes(exchange: Exchange, bytes: AsyncIterable<Uint8Array>, length: number): Promise<void> {
  let left = length
  for await (const chunk of bytes) {
    left -= chunk.length
    if (left < 0) break
    if (exchange.res.destroyed) throw callerGone()
    if (!exchange.res.write(chunk)) await taken(exchange)
  }
  if (left !== 0) throw new Error(`a content differs from its length by ${-left} bytes`)
  exchange.finish()
}

function taken({ res, timeouts }: Exchange): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => res.destroy(), timeouts.readerMs)
    const settle = () => {
      clearTimeout(timer)
      res.off('drain', settle).off('close', settle)
      if (res.destroyed) reject(callerGone())
      else resolve()
    }
    res.on('drain', settle).on('close', settle)
  })
}

const callerGone = () => new CallerGone('the caller left, or takes nothing')
