/** A body of JSON: its bytes, and the object that they hold, which is parsed once. */
import type { Principal } from '@millhand/rpc'
import type { Concurrency, Permit } from '../admission/concurrency.ts'
import type { Exchange } from '../exchange.ts'
import { requireJson } from './content-type.ts'
import { parseJson } from './parse-json.ts'
import { readBody } from './read-body.ts'

/** The most bytes of a body that is parsed. */
export const BODY_LIMIT = 1_048_576

export class JsonBody {
  readonly bytes: Buffer
  readonly #permit: Permit | undefined
  #value: unknown

  /** `permit` is for the bytes, until `release` is called. */
  constructor(bytes: Buffer, permit: Permit | undefined) {
    this.bytes = bytes
    this.#permit = permit
  }

  /** Fails with `invalid_json`. */
  value(): unknown {
    this.#value ??= parseJson(this.bytes)
    return this.#value
  }

  /** The bytes count as the caller's no more. Idempotent. */
  release(): void {
    this.#permit?.[Symbol.dispose]()
  }
}

/**
 * Fails with `unsupported_media_type` and `payload_too_large`, with `concurrency_limited` where the caller's bodies hold
 * too much, and with `CallerGone`.
 */
export async function readJsonBody(exchange: Exchange, caller: Principal, bodies: Concurrency): Promise<JsonBody> {
  requireJson(exchange)
  let permit: Permit | undefined
  const reserve = (bytes: number) => {
    if (bytes === 0) return
    if (permit === undefined) permit = bodies.acquire(caller, bytes)
    else permit.growTo(bytes)
  }
  try {
    const announced = Number(exchange.req.headers['content-length'] ?? 0)
    if (announced <= BODY_LIMIT) reserve(announced)
    return new JsonBody(await readBody(exchange, BODY_LIMIT, reserve), permit)
  } catch (error) {
    permit?.[Symbol.dispose]()
    throw error
  }
}
