/** The bytes of a request's body. */
import { fail } from '@millhand/api'
import { CallerGone, type Exchange } from '../exchange.ts'

/**
 * The whole body of a request. One that waits for `100 Continue` gets it now, so that what was refused before this
 * is never sent.
 * Fails with `payload_too_large` as soon as it is known to exceed `limit` bytes, with `CallerGone`, and as `onSize` does,
 * which is called with the number of bytes that have come each time that there are more.
 */
export function readBody(exchange: Exchange, limit: number, onSize: (bytes: number) => void): Promise<Buffer> {
  const { wholeBody, head } = exchange
  // Who it is may have taken a while to find out, and a caller that left meanwhile sends no further event.
  if (exchange.isGone) return Promise.reject(callerGone())
  if (Number(head.headers['content-length']) > limit) return Promise.reject(tooLarge(limit))
  if (wholeBody !== undefined) {
    const refusal = failureOf(() => onSize(wholeBody.length))
    return refusal === undefined ? Promise.resolve(wholeBody) : Promise.reject(refusal)
  }
  const { req } = exchange
  if (req.destroyed) return Promise.reject(callerGone())
  sayContinue(exchange)
  const began = performance.now()
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined
    let rest: Buffer[] | undefined
    let size = 0
    const take = (chunk: Buffer) => {
      size += chunk.length
      const refusal = size > limit ? tooLarge(limit) : failureOf(() => onSize(size))
      if (refusal !== undefined) {
        first = undefined
        rest = undefined
        req.off('data', take)
        req.pause()
        reject(refusal)
      } else if (first === undefined) first = chunk
      else if (rest === undefined) rest = [first, chunk]
      else rest.push(chunk)
    }
    const end = () => {
      // The request lives as long as its answer, which may be a stream: it must not keep the body.
      req.off('data', take).off('end', end).off('error', broken).off('close', close)
      exchange.bodyMs = performance.now() - began
      resolve(rest === undefined ? (first ?? empty) : Buffer.concat(rest, size))
    }
    const broken = (cause: Error) => reject(callerGone(cause))
    const close = () => {
      if (!req.readableEnded) reject(callerGone())
    }
    req.on('data', take).on('end', end).on('error', broken).on('close', close)
  })
}

/** Lets a caller that waits for it send the body. Expectations that are not known are ignored (RFC 9110, section 10.1.1). */
export function sayContinue({ req, res }: Exchange) {
  const isExpected = req.headers.expect?.toLowerCase() === '100-continue'
  if (isExpected && req.httpVersionMinor > 0 && !req.complete) res.writeContinue()
}

function failureOf(check: () => void): unknown {
  try {
    check()
    return undefined
  } catch (error) {
    return error
  }
}

const empty = Buffer.alloc(0)

const callerGone = (cause?: unknown) => new CallerGone('the caller went away', { cause })

export const tooLarge = (limit: number) =>
  fail('payload_too_large', `The body is larger than ${limit.toLocaleString('en')} bytes.`)
