/**
 * Whose creates are refused, because a spending limit is reached. Billing is asked once a second, so a request costs no
 * call. While billing is away the latest answer holds: a limit is kept to within the work in flight.
 */
import { timestampMs } from '@bufbuild/protobuf/wkt'
import type { Client } from '@connectrpc/connect'
import { enumWords, spendingLimitReached } from '@millhand/api'
import { BillingFamilySchema } from '@millhand/api/gen/millhand/billing/v1/billing_pb.ts'
import type { BillingService } from '@millhand/api/gen/millhand/billing/v1/billing_service_pb.ts'
import type { ReachedLimit } from '@millhand/api/gen/millhand/billing/v1/spending_limit_pb.ts'
import { type Clock, everyInterval } from '@millhand/process'
import type { Principal } from '@millhand/rpc'
import type { Log } from '@millhand/telemetry'

export interface Spending {
  /** Fails with `spending_limit_reached` where the account's limit of a family is reached. */
  require(caller: Pick<Principal, 'tenant'>, family: string): void
  /** The account's limit of a family, where it is reached. */
  reached(caller: Pick<Principal, 'tenant'>, family: string): ReachedLimit | undefined
  /** Asks billing until the signal ends. Never rejects. */
  run(signal: AbortSignal): Promise<void>
}

export interface SpendingDeps {
  readonly billing: Pick<Client<typeof BillingService>, 'listReachedLimits'>
  readonly clock: Clock
  readonly log: Log
}

const POLL_MS = 1_000
const TIMEOUT_MS = 5_000

export function createSpending({ billing, clock, log }: SpendingDeps): Spending {
  let limits: ReadonlyMap<string, ReachedLimit> = new Map()
  let isAway = false

  async function poll(signal: AbortSignal): Promise<void> {
    const found = new Map<string, ReachedLimit>()
    let after: string | undefined
    do {
      const answer = await billing.listReachedLimits(after === undefined ? {} : { after }, {
        timeoutMs: TIMEOUT_MS,
        signal,
      })
      for (const limit of answer.limits) found.set(`${limit.tenant}/${words.get(limit.family)}`, limit)
      after = answer.next
    } while (after !== undefined)
    limits = found
    isAway = false
  }

  const reached: Spending['reached'] = ({ tenant }, family) => {
    const limit = limits.get(`${tenant}/${family}`)
    return limit?.resetsAt === undefined || timestampMs(limit.resetsAt) <= clock.now() ? undefined : limit
  }

  return {
    require(caller, family) {
      const limit = reached(caller, family)
      if (limit !== undefined) throw spendingLimitReached(limit)
    },
    reached,
    run: signal =>
      everyInterval(clock, POLL_MS, signal, () =>
        poll(signal).catch(error => {
          if (!isAway && !signal.aborted) log.warn('spending_limits.unknown', { error })
          isAway = true
        }),
      ),
  }
}

const words = enumWords(BillingFamilySchema)
