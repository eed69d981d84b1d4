/** Enforces the rate of the caller's plan, and sets the rate headers. */
import { fail } from '@millhand/api'
import { Limit } from '@millhand/api/gen/millhand/type/v1/access_pb.ts'
import { WINDOW_MS } from '@millhand/rate'
import { processMetrics } from '@millhand/telemetry'
import type { Inbound } from '../../inbound.ts'
import type { Caller } from '../caller.ts'
import type { RateDecision, RateLimiter } from './limiter.ts'
import type { RateWindow } from './window.ts'

/**
 * Returns the caller, or fails with `rate_limited`; no promise where the rate is known here. Does nothing without a limit.
 * `weight` is how many requests it counts as, 1 where it is not set; `counted` is what of that was counted before;
 * `isPart` says that it may weigh more, which is not known yet.
 */
export type Enforce = (
  exchange: Pick<Inbound, 'setRate'>,
  caller: Caller,
  weight?: number,
  counted?: number,
  isPart?: boolean,
) => Caller | Promise<Caller>

/** For calls that count against `limit`, which is set. */
export function createEnforce(limit: Limit, limiter: RateLimiter): Enforce {
  return (exchange, caller, weight = 1, counted = 0, isPart = false) => {
    const window = windowOf(caller, limit)
    if (window === undefined) return caller
    // A plan of few requests still has room for a heavy one: then that is all of it.
    const uncounted = Math.min(weight, window.limit) - counted
    if (uncounted <= 0) return caller
    // Room for a part is not enough for the whole, and what was counted before counts against the next try as well.
    const whole = (taken: RateDecision) => (isPart || counted > 0 ? { ...taken, roomMs: WINDOW_MS } : taken)
    const taken = limiter.take(window, uncounted)
    if (!(taken instanceof Promise)) return passed(exchange, caller, window, whole(taken))
    return taken.then(later => passed(exchange, caller, window, whole(later)))
  }
}

/** The caller's window for `limit`; undefined where the plan has no limit. */
export const windowOf = ({ windows }: Caller, limit: Limit): RateWindow | undefined =>
  limit === Limit.COMPUTE ? windows.compute : windows.developer

const refusals = {
  compute: processMetrics.boundCounter('millhand_rate_refusals_total', { family: 'compute' }),
  developer: processMetrics.boundCounter('millhand_rate_refusals_total', { family: 'developer' }),
}

/** As draft-ietf-httpapi-ratelimit-headers has it: `q` in `w` seconds, `r` of it left, one more in `t` seconds. */
function passed(
  exchange: Pick<Inbound, 'setRate'>,
  caller: Caller,
  { family, limit }: RateWindow,
  taken: RateDecision,
): Caller {
  const { passes, remaining, nextMs, roomMs = nextMs } = taken
  exchange.setRate(
    `"${family}";q=${limit};w=${WINDOW_MS / 1000}`,
    `"${family}";r=${remaining};t=${wholeSeconds(nextMs)}`,
  )
  if (passes) return caller
  refusals[family]()
  const detail = `The plan allows ${limit.toLocaleString('en')} requests of the ${family} family in 60 seconds.`
  throw fail('rate_limited', detail, { retryAfterS: wholeSeconds(roomMs) })
}

/** A difference of two times is wrong by some billionths, which must not make a second more. */
const wholeSeconds = (ms: number) => Math.ceil((ms - 0.001) / 1000)
