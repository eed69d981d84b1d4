/** Billing as a process has it, whose events, months and clock are in the hands of a test; and its lines as the reference names them. */
import assert from 'node:assert/strict'
import { createIds } from '@millhand/api'
import type { LoggedEvent } from '@millhand/eventlog'
import type { Prices } from '@millhand/plans'
import type { Clock } from '@millhand/process'
import { createLog } from '@millhand/telemetry'
import type { collectionsOf } from './collections.ts'
import { type ClosingDeps, closeDueMonths } from './ledger/closing.ts'
import { finalInvoice } from './ledger/invoice-event.ts'
import type { LineSum } from './ledger/line.ts'
import { consumeAccountEvents } from './ledger/plan-consumer.ts'
import { createPosting } from './ledger/posting.ts'
import { computeEntry, workforceEntry } from './usage/task-event.ts'
import { consumeTaskEvents } from './usage/usage-consumer.ts'

/** All that is late has come by then, and the last month has not closed. */
export const GRACE_MS = 3 * 86_400_000

/** What a process knows besides its store dies with it. Its methods reject when it dies. */
export interface BillingProcess {
  handle(events: readonly LoggedEvent[]): Promise<void>
  closeMonths(): Promise<void>
}

type Stores = Pick<ReturnType<typeof collectionsOf>, 'ledgers' | 'usage' | 'invoices' | 'payments' | 'credits'>

export function startProcess(stores: Stores, clock: Clock, prices: Prices): BillingProcess {
  const log = createLog({ level: 'error', write: () => {} })
  const posting = createPosting({ ...stores, prices, clock, graceMs: GRACE_MS, chargedFrom: async () => 0 })
  const ids = createIds({ now: () => clock.now() })
  const consumerOf = (family: 'compute' | 'workforce') =>
    consumeTaskEvents({
      ...{ ...stores.usage[family], clock, log, onCounted: () => {} },
      entryOf: family === 'compute' ? computeEntry : workforceEntry,
      post: drafts => posting.post(family, drafts),
    })
  const consumers = [
    consumerOf('compute'),
    consumerOf('workforce'),
    consumeAccountEvents({ posting, prices, clock, log }),
  ]
  const finalize: ClosingDeps['finalize'] = draft => finalInvoice(draft, ids, true)
  const signal = new AbortController().signal
  return {
    async handle(events) {
      for (const consume of consumers) await consume(events)
    },
    async closeMonths() {
      const failures: unknown[] = []
      const error = (_: string, fields?: { error?: unknown }) => void failures.push(fields?.error)
      const deps = { ledgers: stores.ledgers, posting, prices, graceMs: GRACE_MS, finalize, log: { ...log, error } }
      await closeDueMonths(deps, clock.now(), signal)
      if (failures.length > 0) throw failures[0]
    },
  }
}

export const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1)

/** Lines as the reference names them; none that are zero. */
export function named(lines: readonly LineSum[]): Map<string, bigint> {
  const bill = new Map<string, bigint>()
  for (const { kind, of, of_time, family, model, employee, unit_nanos, micros } of lines) {
    if (micros === 0) continue
    assert.ok(family === 'developer' || kind !== 'subscription')
    const late = kind === 'adjustment' ? `late ${of_time} ` : ''
    const what = (of ?? kind) === 'tokens' ? 'tokens of ' : ''
    const name =
      (of ?? kind) === 'subscription'
        ? kind === 'subscription'
          ? kind
          : `correction ${of_time}`
        : `${late}${what}${model ?? employee} ${unit_nanos}`
    bill.set(name, (bill.get(name) ?? 0n) + BigInt(micros))
  }
  return new Map([...bill].sort(byName))
}
