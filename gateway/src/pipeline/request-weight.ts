/** Counts a request in the rate window of its caller, by the weight of the body that is parsed. docs/decisions/admission.md. */
import type { Route } from '@millhand/api'
import type { Caller } from '../admission/caller.ts'
import { createEnforce, windowOf } from '../admission/rate-limit/enforce-rate-limit.ts'
import type { RateLimiter } from '../admission/rate-limit/limiter.ts'
import type { Authenticated, Inbound } from '../inbound.ts'
import { bodyLimitOf } from '../transcode/json-body.ts'

/** A step that waits for nothing where the rate is known here; then the result is no promise. */
type Counted = Caller | Promise<Caller>

export interface Limit {
  /** Counts a request by what its head says of its body. Fails with `rate_limited`. */
  request(context: Authenticated): Counted
  /** Counts what a body of `bytes` weighs beyond that. To be called before the body is parsed. Fails with `rate_limited`. */
  body(context: Authenticated, bytes: number): Counted
  /** Whether the window is known here to have no room for the request. Counts nothing. */
  isFull(context: Authenticated): boolean
}

export function createLimit(route: Route, limiter: RateLimiter): Limit {
  const { limit } = route.access
  const enforce = createEnforce(limit, limiter)
  /** The bytes of a file are not parsed: an upload weighs 1. */
  const isParsed = route.kind === 'json' && route.body === '*'
  const bodyLimit = bodyLimitOf(route)
  /** What the head says; a body in chunks may weigh more. */
  const announced = ({ bodyLength = 0 }: Inbound) => (isParsed ? announcedWeight(bodyLength, bodyLimit) : 1)
  return {
    request({ exchange, caller }) {
      const isPart = isParsed && exchange.bodyLength === undefined
      return enforce(exchange, caller, announced(exchange), 0, isPart)
    },
    body({ exchange, caller }, bytes) {
      const weight = weightOf(bytes)
      const counted = weight === 1 ? 1 : announced(exchange)
      return weight > counted ? enforce(exchange, caller, weight, counted) : caller
    },
    isFull({ exchange, caller }) {
      const window = windowOf(caller, limit)
      return window !== undefined && limiter.isFull(window, Math.min(announced(exchange), window.limit))
    },
  }
}

/** A request weighs 1 for each of these that its body begins. */
const UNIT_BYTES = 65_536

const weightOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / UNIT_BYTES))

/** A body that is too long is not read, so it weighs 1. */
const announcedWeight = (bytes: number, most: number): number => (bytes <= most ? weightOf(bytes) : 1)
