/** A data folder of before there were ledgers: what ended then is not billed when its events are read again. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { loadPlans } from '@millhand/plans'
import { manualClock } from '@millhand/process'
import type { Document } from '@millhand/store'
import { openSqlite } from '@millhand/store/sqlite'
import { collectionsOf } from '../collections.ts'
import { endEvent } from '../usage/task-event.fixture.ts'
import { computeEntry } from '../usage/task-event.ts'
import { billedPast } from './billed-past.ts'
import { LEDGER_ID } from './ledger.ts'
import { totalOf } from './line.ts'
import { createPosting } from './posting.ts'
import { keepPrices } from './price-history.ts'

it('tasks that ended before there were ledgers are counted and not billed, later ones are billed once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-ledger-'))
  const file = join(folder, 'billing.db')
  const at = Date.UTC(2026, 10, 21)
  const entry = computeEntry(endEvent({ id: 'task_1', at, computeMs: 1_500, cost: '0.000030' }))?.entry
  assert.ok(entry)
  const { event_id: _, ...earlier } = entry
  try {
    const before = openSqlite({ file })
    const spec = { name: 'usage_entries', indexes: { by_end: { fields: ['tenant', 'finished_at'] } } } as const
    await before.collection<Document, 'by_end'>(spec).write({ kind: 'insert', document: earlier, events: [] })
    await before.close()

    const db = openSqlite({ file })
    const stores = collectionsOf(db)
    const { prices } = loadPlans()
    const clock = manualClock(at)
    const started = () => keepPrices(stores.prices, prices.sets, clock.now(), billedPast(stores))
    const posting = createPosting({ ...stores, prices, clock, graceMs: 1, chargedFrom: started })
    const ended = (id: string, later: number) =>
      computeEntry(endEvent({ id, at: at + later, computeMs: 1_500, cost: '0.000030' }))?.entry ?? assert.fail()
    clock.step(60_000)
    for (let times = 0; times < 2; times++) {
      await posting.post('compute', [entry, ended('task_2', 59_999), ended('task_3', 60_000)])
      const ledger = await stores.ledgers.get(entry.tenant, LEDGER_ID)
      assert.equal(totalOf(ledger?.months.flatMap(({ lines }) => lines) ?? []), 30)
      clock.step(60_000)
    }
    const stored = await stores.usage.compute.entries.find('by_end', { equals: [entry.tenant], limit: 10 })
    assert.deepEqual(
      stored.map(({ id, posted }) => [id, posted]),
      [
        ['task_1', undefined],
        ['task_2', undefined],
        ['task_3', 'yes'],
      ],
    )
    await db.close()
  } finally {
    await rm(folder, { recursive: true })
  }
})
