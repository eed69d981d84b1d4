/** A body of JSON: its bytes, and the object that they hold, which is parsed once. */
import type { Principal } from '@millhand/rpc'
import { BODY_LIMIT } from '../admission/admit.ts'
import type { Concurrency } from '../admission/concurrency.ts'
import type { Exchange } from '../exchange.ts'
import { parseJson } from './json-text.ts'
import { requireJson } from './media-type.ts'
import { readBody } from './read-body.ts'

export interface JsonBody {
  readonly bytes: Buffer
  /** They count as the caller's until this is disposed of. */
  readonly held: Disposable
  /** Fails with `invalid_json`. */
  value(): unknown
}

/**
 * Fails with `unsupported_media_type` and `payload_too_large`, with `concurrency_limited` where the caller's bodies hold
 * too much, and with `CallerGone`.
 */
export async function readJsonBody(exchange: Exchange, caller: Principal, bodies: Concurrency): Promise<JsonBody> {
  requireJson(exchange)
  using onFailure = new DisposableStack()
  const announced = Number(exchange.header('content-length') ?? 0)
  let held = 0
  const hold = (bytes: number) => {
    if (bytes <= held) return
    onFailure.use(bodies.take(caller, bytes - held))
    held = bytes
  }
  if (announced <= BODY_LIMIT) hold(announced)
  const bytes = await readBody(exchange, BODY_LIMIT, hold)
  const places = onFailure.move()
  let parsed: unknown
  return {
    bytes,
    held: places,
    value() {
      parsed ??= parseJson(bytes)
      return parsed
    },
  }
}
