/** The bytes of a call's request, within the limits that bodies of REST have. */
import type { Readable } from 'node:stream'
import { fail } from '@millhand/api'
import { checkShape } from '../transcode/json-body.ts'
import { tooLarge } from '../transcode/read-body.ts'
import type { RpcCall } from './rpc-call.ts'

export interface BodyLimits {
  /** The most bytes of all messages together; undefined where the method counts them itself. */
  readonly bytes: number | undefined
  /** Milliseconds in which the whole has to come, or the next part where `bytes` is undefined. */
  readonly senderMs: number
}

/** What goes around a message: gRPC and streams of Connect put five bytes before each. */
export const ENVELOPE_BYTES = 5

/**
 * The bytes as they come. Reads no more once it is returned. Fails with `payload_too_large`, with `concurrency_limited` where
 * the caller's requests hold too much, and with `deadline_exceeded` where nothing comes.
 */
export async function* requestBody(source: Readable, call: RpcCall, limits: BodyLimits): AsyncGenerator<Uint8Array> {
  const { bytes: limit, senderMs } = limits
  const began = performance.now()
  const chunks = source.iterator({ destroyOnReturn: false })
  try {
    for (;;) {
      const leftMs = limit === undefined ? senderMs : senderMs - (performance.now() - began)
      const { done, value } = await within(Math.max(1, leftMs), chunks.next())
      if (done) return
      call.bytes += value.length
      if (limit !== undefined && call.bytes > limit + ENVELOPE_BYTES) throw tooLarge(limit)
      call.count?.(call.bytes)
      yield value
    }
  } finally {
    call.bodyMs = performance.now() - began
    chunks.return?.().catch(() => {})
  }
}

/** The same for a message of JSON: whole, once it is known that it can be parsed in little time. */
export async function* jsonBody(bytes: AsyncIterable<Uint8Array>, isEnveloped: boolean): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  const whole = Buffer.concat(chunks)
  checkShape(isEnveloped ? whole.subarray(ENVELOPE_BYTES) : whole)
  yield whole
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(fail('deadline_exceeded', 'The request did not come in the time that it may take.')),
      ms,
    )
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
