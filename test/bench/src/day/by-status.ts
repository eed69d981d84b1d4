/** What the server's own `/status` says of the calls that a client has counted. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Wire } from '@millhand/test-e2e/http'
import type { Served } from '@millhand/test-e2e/server'
import type { DayCounts } from './calls.ts'

/** The error budget of each target, as `/status` has it: docs/status.md. */
export interface Budgets {
  readonly answered: Budget
  readonly fast: Budget
}

export interface Budget {
  readonly target: number
  readonly requests: number
  readonly missed: number
  readonly since: string
}

/** Reports of gateways come every ten seconds, and are cached as long; a machine may be busy. */
const COUNTED_WITHIN_MS = 300_000

/** Waits until so many requests are counted, or no longer: what was counted then. */
export async function budgetsOf(server: Served, requests: number): Promise<Budgets> {
  const deadline = performance.now() + COUNTED_WITHIN_MS
  for (;;) {
    const headers = { authorization: '', accept: 'application/json' }
    const { body, text, status } = await server.request('GET', '/status', { headers })
    if (status !== 200) throw new Error(`/status: ${text}`)
    const budgets = Object.fromEntries(body.targets.map(budgetOf)) as unknown as Budgets
    if (budgets.answered.requests >= requests || performance.now() > deadline) return budgets
    await pause(500)
  }
}

const budgetOf = ({ name, target, error_budget }: Wire) => [name, { target, ...error_budget }]

/**
 * A client is not answered before the server is done, so that it can't find fewer slow than the server does; but a thread may be
 * put off between the answer's last byte and the look at the clock.
 */
const LATE_SHARE = 0.001
const LATE_CALLS = 5

/** Where both differ that count the same calls, in words. The server's times lack the way there and back, so that it may find fewer slow. */
export function differences(
  client: Omit<DayCounts, 'unexpected' | 'firstOdd' | 'seconds' | 'operations'>,
  status: Budgets,
): string[] {
  const compared = [
    ['requests', client.calls, status.answered.requests],
    ['answers of 500 or more', client.failed, status.answered.missed],
  ] as const
  const found = compared
    .filter(([, ours, theirs]) => ours !== theirs)
    .map(([what, ours, theirs]) => `${what}: the client counted ${ours}, /status ${theirs}`)
  const { requests: timed } = status.fast
  if (timed < client.timed || timed > client.timed + client.cutShort)
    found.push(`requests that are no waits, streams or files: the client counted ${client.timed}, /status ${timed}`)
  const mostSlow = client.slow + client.cutShort + client.timed * LATE_SHARE + LATE_CALLS
  if (status.fast.missed > mostSlow)
    found.push(`slow requests: the client counted ${client.slow}, /status ${status.fast.missed}`)
  return found
}
