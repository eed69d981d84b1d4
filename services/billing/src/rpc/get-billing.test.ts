/** What a bill reads: as little for an account with many entries as for one with few. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '@millhand/store'
import { as, NOVEMBER, startBilling } from '../billing-service.fixture.ts'
import { collectionsOf } from '../collections.ts'
import { LEDGER_ID } from '../ledger/ledger.ts'
import { unpackPending } from '../ledger/pending.ts'
import { memoryCollection } from '../usage/memory-collection.fixture.ts'
import { endEvent } from '../usage/task-event.fixture.ts'

const tenant = 'acct_a/live'

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
  const { billing, hear, stop } = startBilling(db)
  const tasks = Array.from({ length: 1_000 }, (_, n) =>
    endEvent({ id: `task_${n}`, tenant, at: NOVEMBER, computeMs: n, model: `model-${n % 10}`, cost: '0.000001' }),
  )
  await hear('billing-compute', ...tasks)
  const ledger = await collectionsOf(db).ledgers.get(tenant, LEDGER_ID)
  assert.deepEqual(
    unpackPending(ledger?.pending ?? '').map(({ entry }) => entry.id),
    tasks.map(({ key }) => key),
  )
  const bytes = JSON.stringify(ledger).length
  assert.ok(bytes < 60_000, `a ledger of ${bytes} bytes`)

  calls = []
  const { lines, total } = await billing.getBilling({}, as('acct_a'))
  // Each call is noted before and after its work.
  assert.equal(calls.filter(call => call === 'get ledgers').length, 2)
  assert.deepEqual(
    calls.filter(call => /entries|hours|insert|replace/.test(call)),
    [],
  )
  assert.deepEqual([lines.filter(({ kind }) => kind === 2).length, total?.amount], [10, '0.001000'])
  await stop()
})
