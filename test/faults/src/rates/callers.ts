/** Accounts that call at random, on a clock that is set by hand, and what became of their requests. */
import type { RateLimiter } from '@millhand/gateway'
import type { ManualClock } from '@millhand/process'
import type { Random } from '../random.ts'

const WINDOW_MS = 60_000

/** An account's requests, in the order in which they were answered. */
export interface Account {
  readonly name: string
  /** Requests in any 60 seconds. */
  readonly plan: number
  readonly passes: number[]
  readonly refusals: Refusal[]
  /** Requests whose gateway died under them: nobody knows. */
  readonly lost: number[]
  /** Requests that came when `Retry-After` had said, were sent alone, and were refused. */
  readonly deceived: Refusal[]
}

interface Refusal {
  readonly askedAt: number
  readonly answeredAt: number
}

export interface Callers {
  readonly clock: ManualClock
  readonly random: Random
  /** Who answers a request now. */
  gateway(): Gateway
}

export interface Gateway {
  readonly limiter: RateLimiter
  readonly isAlive: boolean
}

/**
 * Has accounts call for so long, each at a rate of its own of up to ten times its plan. Every other one obeys
 * `Retry-After` and sends one request at a time; the others send on whatever they are answered.
 */
export async function callAtRandom(callers: Callers, plans: readonly number[], ms: number): Promise<Account[]> {
  const { clock, random } = callers
  const end = clock.monotonic() + ms
  const accounts = plans.map((plan, n): Account => {
    return { name: `acct_${n}/live/compute`, plan, passes: [], refusals: [], lost: [], deceived: [] }
  })
  const stopped = new AbortController()
  const calling = accounts.map(async (account, n) => {
    const perMs = (random.next() * 10 * account.plan) / WINDOW_MS
    const isObedient = n % 2 === 0
    let promised = false
    for (;;) {
      const pauseMs = -Math.log(1 - random.next()) / perMs
      await clock.sleep(Math.round(pauseMs), stopped.signal)
      if (clock.monotonic() >= end) return
      const sent = send(callers, account, promised)
      promised = false
      if (!isObedient) continue
      const retryAfterS = await sent
      if (retryAfterS === undefined) continue
      await clock.sleep(retryAfterS * 1000, stopped.signal)
      promised = true
    }
  })
  const over = Promise.allSettled(calling)
  await clock.advance(ms)
  stopped.abort()
  // What is on its way is answered still: a gateway waits 250 ms for the owner.
  await clock.advance(1_000)
  for (const { status, reason } of (await over) as { status: string; reason?: unknown }[]) {
    if (status === 'rejected' && reason !== stopped.signal.reason) throw reason
  }
  return accounts
}

/** Sends one request; gives the seconds of `Retry-After` where it was refused. */
async function send({ clock, gateway }: Callers, account: Account, promised: boolean): Promise<number | undefined> {
  const by = gateway()
  const askedAt = clock.monotonic()
  const { passes, nextMs } = await by.limiter.take({ name: account.name, family: 'compute', limit: account.plan })
  const answeredAt = clock.monotonic()
  if (!by.isAlive) account.lost.push(answeredAt)
  else if (passes) account.passes.push(answeredAt)
  else {
    account.refusals.push({ askedAt, answeredAt })
    if (promised) account.deceived.push({ askedAt, answeredAt })
    return Math.ceil(nextMs / 1000)
  }
  return undefined
}

/** The most that passed in any 60 seconds, as a part of the plan. */
export function mostOf({ plan, passes }: Account): number {
  let most = 0
  let first = 0
  passes.forEach((time, last) => {
    while ((passes[first] as number) <= time - WINDOW_MS) first++
    most = Math.max(most, last - first + 1)
  })
  return most / plan
}

/**
 * Refusals before which fewer than the plan had passed in 60 seconds, where a request may take `delayMs` there and back:
 * what passes may be heard of so much later.
 */
export function refusedEarly({ plan, passes, lost, refusals }: Account, delayMs: number): Refusal[] {
  const times = [...passes, ...lost]
  return refusals.filter(({ askedAt, answeredAt }) => {
    const before = times.filter(time => time > askedAt - WINDOW_MS && time <= answeredAt + delayMs)
    return before.length < plan
  })
}
