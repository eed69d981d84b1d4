import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { createContextValues, type HandlerContext } from '@connectrpc/connect'
import { codeOf, countingIds, createCursors } from '@millhand/api'
import { TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { ListTasksRequestSchema, TaskField } from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import { Order } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import { manualClock } from '@millhand/process'
import { principalKey } from '@millhand/rpc'
import { listTasks } from '@millhand/task'
import type { ComputeDeps } from '../compute-deps.ts'
import type { TaskRecord } from '../task.ts'
import { computeTask } from '../task-kind.ts'
import { toMessage } from '../task-message.ts'
import { taskList } from './list-tasks.ts'

const now = Date.UTC(2026, 10, 21)

/** Lists `count` tasks, made a second apart, of which each `rareEach`th has the label `rare`; counts what is read. */
function lister(count: number, rareEach: number) {
  let time = now - (count + 10) * 1_000
  const ids = countingIds(() => time)
  const made: string[] = []
  const records = Array.from({ length: count }, (_, at) => {
    time += 1_000
    made.unshift(ids('task'))
    return record(made[0] as string, time, at % rareEach === 0 ? 'rare' : 'usual')
  })
  let reads = 0
  const deps = {
    kind: computeTask,
    tasks: {
      find: async (_: 'primary', query: { after?: [string]; before?: [string]; order: string; limit: number }) => {
        reads++
        const { after: [after] = [''], before: [before] = ['~'], order, limit } = query
        const within = records.filter(({ id }) => id > after && id < before)
        return (order === 'asc' ? within : within.reverse()).slice(0, limit)
      },
    },
    inputs: { read: async () => 'x' },
    cursors: createCursors(new Uint8Array(32)),
    clock: manualClock(now),
    position: () => undefined,
  }
  const values = createContextValues().set(principalKey, {
    accountId: 'acct_1',
    mode: 'live',
    tenant: 'acct_1/live',
    scopes: new Set(['*']),
    keyId: 'key_1',
    plans: { compute: 'enterprise', developer: 'enterprise', workforce: 'enterprise' },
  })
  const method = listTasks(deps as unknown as ComputeDeps, taskList, toMessage)
  const list = (request: MessageInitShape<typeof ListTasksRequestSchema>) =>
    method(create(ListTasksRequestSchema, request), { values } as HandlerContext)
  return { made, list, reads: () => reads }
}

describe('a page of tasks', () => {
  for (const [direction, order] of [
    ['newest first', Order.DESC],
    ['oldest first', Order.ASC],
  ] as const) {
    for (const [filter, metadata] of [
      ['a rare filter', { label: 'rare' }],
      ['no filter', {}],
    ] as const) {
      it(`follows the one before without gap or repeat: ${direction}, ${filter}`, async () => {
        const { made, list } = lister(1_250, 100)
        const newest = 'label' in metadata ? made.filter((_, at) => (1_249 - at) % 100 === 0) : made
        const seen: string[] = []
        let cursor: string | undefined
        do {
          const page = await list({ metadata, order, limit: 7, ...(cursor !== undefined && { cursor }) })
          assert.equal(page.hasMore, page.nextCursor !== undefined)
          seen.push(...page.data.map(({ id }) => id))
          cursor = page.nextCursor
        } while (cursor !== undefined)
        assert.deepEqual(seen, order === Order.ASC ? newest.toReversed() : newest)
      })
    }
  }

  it('costs few reads, however rare what it looks for is and however small the page', async () => {
    const { list, reads } = lister(2_000, 5_000)
    const page = await list({ metadata: { label: 'rare' }, limit: 1 })
    assert.deepEqual([page.data, page.hasMore], [[], true])
    assert.ok(reads() <= 10, `${reads()} reads`)
  })

  it('has a cursor for every page of the same list: other limits, other fields, filters in another order', async () => {
    const { list } = lister(10, 1)
    const filters = { type: TaskType.INFERENCE, createdAfter: timestampFromMs(0) }
    const { nextCursor: cursor = '' } = await list({ ...filters, metadata: { label: 'rare', kind: 'k' }, limit: 3 })
    const same = { ...filters, metadata: { kind: 'k', label: 'rare' }, limit: 5, include: [TaskField.INPUT], cursor }
    assert.equal((await list(same)).data.length, 5)
    for (const other of [
      { ...same, order: Order.ASC },
      { ...same, createdAfter: timestampFromMs(1) },
      { ...same, metadata: { label: 'rare' } },
    ]) {
      await assert.rejects(list(other), error => codeOf(error) === 'invalid_cursor')
    }
  })
})

function record(id: string, created_at: number, label: string): TaskRecord {
  const task: Partial<TaskRecord> = {
    tenant: 'acct_1/live',
    id,
    version: 1,
    account_id: 'acct_1',
    mode: 'live',
    type: 'inference',
    group: 'digits',
    status: 'succeeded',
    metadata: { label, kind: 'k' },
    created_at,
    attempt: 1,
  }
  return task as TaskRecord
}
