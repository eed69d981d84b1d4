/** A body of JSON: its bytes, and the object that they hold, which is parsed once. */
import { BODY_LIMIT } from '../admission/admit.ts'
import type { Exchange } from '../exchange.ts'
import { parseJson } from './json-text.ts'
import { requireJson } from './media-type.ts'
import { readBody } from './read-body.ts'

export interface JsonBody {
  readonly bytes: Buffer
  /** Fails with `invalid_json`. */
  value(): unknown
}

/** Fails with `unsupported_media_type` and `payload_too_large`, and with `CallerGone`. */
export async function readJsonBody(exchange: Exchange): Promise<JsonBody> {
  requireJson(exchange)
  const bytes = await readBody(exchange, BODY_LIMIT)
  let parsed: unknown
  return {
    bytes,
    value() {
      parsed ??= parseJson(bytes)
      return parsed
    },
  }
}
