/** Records of versions that kept of each limit what was told of it. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import type { Document } from '@millhand/store'
import { openSqlite } from '@millhand/store/sqlite'
import { isOver, LIMITS_ID, openSpendingLimits, toldOf } from './spending-limits.ts'

it('limits of an earlier version hold on, and are not told of again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-limits-'))
  const db = openSqlite({ file: join(folder, 'billing.db') })
  const spec = {
    name: 'spending_limits',
    indexes: { reached: { fields: ['id'], when: { field: 'reached', in: ['yes'] } } },
  }
  const earlier = {
    ...{ tenant: 'acct_a', id: LIMITS_ID, resource_version: 3, reached: 'yes' },
    limits: { compute: { micros: 50, told: { month: '2026-11', percent: 100, spent: 60 } }, workforce: { micros: 9 } },
  }
  await db.collection<Document, 'reached'>(spec as never).write({ kind: 'insert', document: earlier, events: [] })
  const limits = openSpendingLimits(db)
  const record = (await limits.get('acct_a', LIMITS_ID)) ?? assert.fail()
  assert.deepEqual(record.limits, { compute: 50, workforce: 9 })
  assert.ok(isOver(record, 'compute', '2026-11'))
  assert.ok(!isOver(record, 'workforce', '2026-11'))
  assert.equal(toldOf(record, 'compute', '2026-11')?.spent, 60)
  const [found] = await limits.find('reached', { equals: [LIMITS_ID], limit: 1 })
  assert.deepEqual(found, record)
  await db.close()
  await rm(folder, { recursive: true })
})
