/** What a bill reads: as little for an account with many entries as for one with few. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, createContextValues } from '@connectrpc/connect'
import { createCursors } from '@millhand/api'
import { BillingService } from '@millhand/api/gen/millhand/billing/v1/billing_service_pb.ts'
import type { EventLog, LoggedEvent } from '@millhand/eventlog'
import { loadPlans } from '@millhand/plans'
import { manualClock } from '@millhand/process'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import type { Database } from '@millhand/store'
import { createLog } from '@millhand/telemetry'
import { createBillingService } from '../billing.ts'
import { collectionsOf } from '../collections.ts'
import { LEDGER_ID } from '../ledger/ledger.ts'
import { unpackPending } from '../ledger/pending.ts'
import { memoryCollection } from '../usage/memory-collection.fixture.ts'
import { endEvent } from '../usage/task-event.fixture.ts'

const NOVEMBER = Date.UTC(2026, 10)
const DAY_MS = 86_400_000
const tenant = 'acct_a/live'
const caller = {
  contextValues: createContextValues().set(principalKey, {
    ...{ accountId: 'acct_a', mode: 'live', tenant, scopes: new Set(['*']), keyId: 'key_a' },
    plans: { compute: 'starter', developer: 'free', workforce: 'starter' },
  }),
}

test('a bill reads its ledger once, and no entries, which the ledger keeps packed until they are stored', async () => {
  let calls: string[] = []
  const collections = new Map<string, unknown>()
  const db: Database = {
    collection(spec) {
      const made = collections.get(spec.name) ?? memoryCollection(spec, async call => void calls.push(call))
      collections.set(spec.name, made)
      return made as never
    },
  }
  const handlers = new Map<string, (events: readonly LoggedEvent[]) => Promise<void>>()
  const events: Pick<EventLog, 'subscribe'> = {
    async subscribe(group, _topics, handler, signal) {
      handlers.set(group, handler)
      await new Promise(resolve => signal.addEventListener('abort', resolve))
    },
  }
  const service = createBillingService({
    ...{ db, events, clock: manualClock(NOVEMBER), plans: loadPlans(), cursors: createCursors(new Uint8Array(32)) },
    ...{ log: createLog({ level: 'error' }), entriesKeptMs: 400 * DAY_MS, graceMs: 3 * DAY_MS },
  })
  const transport = createDirectTransport()
  serve(service.routes, transport)
  const billing = createClient(BillingService, transport)
  const ending = new AbortController()
  const running = service.run(ending.signal)
  while (!handlers.has('billing-compute')) await new Promise(resolve => setImmediate(resolve))

  const tasks = Array.from({ length: 1_000 }, (_, n) =>
    endEvent({ id: `task_${n}`, tenant, at: NOVEMBER, computeMs: n, model: `model-${n % 10}`, cost: '0.000001' }),
  )
  await handlers.get('billing-compute')?.(tasks)
  const ledger = await collectionsOf(db).ledgers.get(tenant, LEDGER_ID)
  assert.deepEqual(
    unpackPending(ledger?.pending ?? '').map(({ entry }) => entry.id),
    tasks.map(({ key }) => key),
  )
  const bytes = JSON.stringify(ledger).length
  assert.ok(bytes < 60_000, `a ledger of ${bytes} bytes`)

  calls = []
  const { lines, total } = await billing.getBilling({}, caller)
  // Each call is noted before and after its work.
  assert.equal(calls.filter(call => call === 'get ledgers').length, 2)
  assert.deepEqual(
    calls.filter(call => /entries|hours|insert|replace/.test(call)),
    [],
  )
  assert.deepEqual([lines.filter(({ kind }) => kind === 2).length, total?.amount], [10, '0.001000'])
  ending.abort()
  await running
})
