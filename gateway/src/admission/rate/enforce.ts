/** Holds a request to the rate of its caller's plan, and tells the caller where it is. */
import { fail } from '@millhand/api'
import { Limit } from '@millhand/api/gen/millhand/type/v1/access_pb.ts'
import { WINDOW_MS } from '@millhand/rate'
import type { Exchange } from '../../exchange.ts'
import type { Caller } from '../caller.ts'
import type { RateLimiter, Taken } from './limiter.ts'
import type { RateWindow } from './window.ts'

/** Passes the caller on, or fails with `rate_limited`; at once where that is known here. Costs nothing without a limit. */
export type Enforce = (exchange: Pick<Exchange, 'carry'>, caller: Caller) => Caller | Promise<Caller>

/** For calls that count against `limit`, which is set. */
export function createEnforce(limit: Limit, limiter: RateLimiter): Enforce {
  return (exchange, caller) => {
    const window = windowOf(caller, limit)
    if (window === undefined) return caller
    const taken = limiter.take(window)
    if (!(taken instanceof Promise)) return passed(exchange, caller, window, taken)
    return taken.then(later => passed(exchange, caller, window, later))
  }
}

/** Where the calls of somebody count that count against `limit`; nowhere without a limit. */
export const windowOf = ({ windows }: Caller, limit: Limit): RateWindow | undefined =>
  limit === Limit.COMPUTE ? windows.compute : windows.developer

/** As draft-ietf-httpapi-ratelimit-headers has it: `q` in `w` seconds, `r` of it left, one more in `t` seconds. */
function passed(
  exchange: Pick<Exchange, 'carry'>,
  caller: Caller,
  { family, limit }: RateWindow,
  taken: Taken,
): Caller {
  const { passes, remaining, nextMs } = taken
  // A difference of two times is wrong by some billionths, which must not make a second more.
  const nextS = Math.ceil((nextMs - 0.001) / 1000)
  exchange.carry('RateLimit-Policy', `"${family}";q=${limit};w=${WINDOW_MS / 1000}`)
  exchange.carry('RateLimit', `"${family}";r=${remaining};t=${nextS}`)
  if (passes) return caller
  const detail = `The plan allows ${limit.toLocaleString('en')} requests of the ${family} family in 60 seconds.`
  throw fail('rate_limited', detail, { retryAfterS: nextS })
}
