import assert from 'node:assert/strict'
import { it } from 'node:test'
import { manualClock } from '@millhand/process'
import type { Query } from '@millhand/store'
import { createLog } from '@millhand/telemetry'
import { type Errand, errandAt, errandKind } from './errand.fixture.ts'
import { removeExpired } from './retention.ts'

it('a task whose data can’t be removed stays, and keeps nobody else’s, nor what no task names', async () => {
  const clock = manualClock(Date.UTC(2026, 10, 21, 12))
  const expired = (account: string, id: string): Errand => ({
    ...errandAt(0),
    tenant: `${account}/live`,
    id,
    status: 'succeeded',
    data_expires_at: 1,
  })
  const tasks = [expired('acct_a', 'wtask_0'), expired('acct_a', 'wtask_1'), expired('acct_b', 'wtask_0')]
  const left = new Set(tasks)
  const lines: string[] = []
  const swept = Promise.withResolvers<void>()
  const ending = new AbortController()
  const running = removeExpired<Errand>(
    {
      kind: errandKind,
      tasks: {
        async find(_: string, { equals: [tenant], after: [after = ''] = [] }: Query) {
          if (tenant !== undefined) return [...left].filter(task => task.tenant === tenant && task.id > after)
          return [...left].filter(task => task.tenant > after).slice(0, 1)
        },
        remove: async (task: Errand) => left.delete(task),
      } as never,
      inputs: {
        async remove(task: Errand) {
          if (task === tasks[0]) throw new Error('no such disk')
        },
        sweep: async () => swept.resolve(),
      } as never,
      emissions: { removeAll: async () => {} } as never,
      clock,
      log: createLog({ level: 'error', write: line => lines.push(line), format: 'json' }),
      retentionMs: 1_000,
    },
    ending.signal,
  )
  await clock.advance(60_000)
  await swept.promise
  assert.deepEqual([...left], [tasks[0]])
  assert.match(lines.join(''), /"task_id":"wtask_0"/)
  ending.abort()
  await running
})
