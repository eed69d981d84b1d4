/** What holding requests to their plan costs in the gateway: alone, and with places that an owner gives. */
import { createClient } from '@connectrpc/connect'
import { RateService } from '@millhand/api/gen/millhand/identity/v1/rate_service_pb.ts'
import { Limit } from '@millhand/api/gen/millhand/type/v1/access_pb.ts'
import { localLimiter, sharedLimiter } from '@millhand/gateway'
import { createEnforce, type Enforce } from '@millhand/gateway/rate-limit-headers'
import { createRateService } from '@millhand/identity/rate'
import { singleReplica } from '@millhand/lease'
import { systemClock as clock } from '@millhand/process'
import { createDirectTransport } from '@millhand/rpc'
import { createLog } from '@millhand/telemetry'
import { answerQuestions } from '../child.ts'

export interface Question {
  readonly requests: number
}

/** Nanoseconds of a request. */
export interface Answer {
  readonly local: number
  readonly shared: number
  readonly refused: number
  readonly unlimited: number
}

const ACCOUNTS = 1_000

answerQuestions(async ({ requests }: Question): Promise<Answer> => {
  const local = createEnforce(Limit.COMPUTE, localLimiter(clock))
  const answer = {
    local: await measured(local, requests, callersWith(1_000_000)),
    refused: await measured(local, requests, callersWith(1)),
    unlimited: await measured(local, requests, callersWith(undefined)),
  }
  const ending = new AbortController()
  const transport = createDirectTransport()
  const rates = createRateService({ clock, replicas: singleReplica })
  rates.routes(transport)
  const limiter = sharedLimiter({
    rates: createClient(RateService, transport),
    clock,
    log: createLog({ level: 'error' }),
  })
  const running = [rates.run(ending.signal), limiter.run(ending.signal)]
  const shared = await measured(createEnforce(Limit.COMPUTE, limiter), requests, callersWith(1_000_000))
  ending.abort()
  await Promise.all(running)
  return { ...answer, shared }
})

type Caller = Parameters<Enforce>[1]

/** Callers of as many accounts, with so many requests a minute. */
function callersWith(limit: number | undefined): Caller[] {
  return Array.from({ length: ACCOUNTS }, (_, n) => {
    const accountId = `acct_${limit}_${n}`
    const tenant = `${accountId}/live`
    const window = limit === undefined ? undefined : ({ name: `${tenant}/compute`, family: 'compute', limit } as const)
    return {
      accountId,
      mode: 'live',
      tenant,
      scopes: new Set(),
      keyId: 'key_1',
      plans: { compute: 'scale', developer: 'pro', workforce: 'starter' },
      expiresAt: Number.POSITIVE_INFINITY,
      windows: { compute: window, developer: undefined },
    }
  })
}

/** As ten requests come in each turn; those of the first tenth are not counted. */
async function measured(enforce: Enforce, requests: number, callers: readonly Caller[]): Promise<number> {
  let carried: string[] = []
  const exchange = { setRate: (policy: string, rate: string) => void carried.push(policy, rate) }
  const warm = requests / 10
  let begin = 0
  for (let n = 0; n < requests + warm; n += 10) {
    if (n === warm) begin = performance.now()
    const waiting: Promise<Caller>[] = []
    for (let each = n; each < n + 10; each++) {
      carried = []
      try {
        const passed = enforce(exchange, callers[each % callers.length] as Caller)
        if (passed instanceof Promise) waiting.push(passed)
      } catch {
        // Refused.
      }
    }
    if (waiting.length > 0) await Promise.all(waiting)
  }
  return ((performance.now() - begin) * 1e6) / requests
}
