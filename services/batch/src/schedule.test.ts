import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIds } from '@millhand/api'
import { manualClock } from '@millhand/process'
import { createSchedule } from './schedule.ts'

test('a batch is due when it comes, when it is hastened, and after its delay', async () => {
  const clock = manualClock(Date.UTC(2026, 10, 26))
  const schedule = createSchedule(clock)
  const ids = createIds({ now: () => clock.now() })
  const [a, b] = [ids('batch'), ids('batch')]
  const tenant = 'acct_a/live'
  const due = () => schedule.due().map(({ id }) => (id === a ? 'a' : 'b'))
  for (const id of [a, b, a]) schedule.add({ tenant, id })
  assert.deepEqual([due(), schedule.countOf(tenant)], [['a', 'b'], 2])
  for (const id of [a, b]) schedule.begin(`${tenant}/${id}`)
  assert.deepEqual(due(), [])
  schedule.delay(`${tenant}/${a}`, 1_000)
  schedule.delay(`${tenant}/${a}`, 60_000)
  await clock.advance(999)
  assert.deepEqual(due(), [])
  await clock.advance(1)
  assert.deepEqual(due(), ['a'])
  schedule.hasten(`${tenant}/${b}`)
  schedule.hasten(`${tenant}/unknown`)
  assert.deepEqual(due(), ['a', 'b'])
  schedule.delay(`${tenant}/${b}`, 60_000)
  assert.deepEqual(due(), ['a', 'b'], 'what is due stays so')
  for (const id of [a, b, b]) schedule.remove(`${tenant}/${id}`)
  assert.deepEqual([due(), schedule.countOf(tenant), schedule.has(`${tenant}/${a}`)], [[], 0, false])
})
