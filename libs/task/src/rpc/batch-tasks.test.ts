/** Tasks of batches that are cancelled while a call that makes them is on its way. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createContextValues, type HandlerContext } from '@connectrpc/connect'
import { createIds, fail } from '@millhand/api'
import type { AddTasksRequest } from '@millhand/api/gen/millhand/batch/v1/batch_task_service_pb.ts'
import { principalKey } from '@millhand/rpc'
import { type Errand, errandAt, errandKind } from '../errand.fixture.ts'
import { type BatchTaskKind, batchTaskMethods } from './batch-tasks.ts'

const noon = Date.UTC(2026, 10, 21, 12)
const tenant = 'acct_a/live'
const id = createIds({ now: () => noon })('wtask')

function open() {
  const stored = new Map<string, Errand>()
  const places = new Set<string>()
  const deps = {
    kind: errandKind,
    inputs: { keep: async () => {}, remove: async () => {} },
    newEventId: () => 'evt_1',
    tasks: {
      get: async (_: string, id: string) => stored.get(id),
      insert: async (task: Errand) => !stored.has(task.id) && stored.set(task.id, task) !== undefined,
      change: async (_: string, id: string) => stored.set(id, { ...(stored.get(id) as Errand), status: 'cancelled' }),
      countWaiting: async () => 0,
    },
  } as unknown as Parameters<typeof batchTaskMethods<Errand, object, string>>[0]
  let admit = async () => 'admitted'
  const own: BatchTaskKind<Errand, object, string> = {
    requestOf: () => ({}),
    admit: () => admit(),
    make: (_, __, id) => ({ task: { ...errandAt(noon), id } }),
    makeFence: (_, __, id) => ({ task: { ...errandAt(noon), id } }),
    mostQueued: () => 10,
    async takePlace(_, id) {
      places.add(id)
      return async () => void places.delete(id)
    },
    toMessage: () => {
      throw new Error('nobody asks')
    },
    outputOf: () => undefined,
  }
  const { addTasks } = batchTaskMethods(deps, own)
  const caller = { accountId: 'acct_a', mode: 'live', tenant, scopes: [], plans: {} } as never
  const values = createContextValues().set(principalKey, caller)
  const call = { values, signal: new AbortController().signal } as HandlerContext
  const tasks = [{ id, request: {}, queueTimeoutS: 60 }]
  const add = async (cancelled: boolean) =>
    await addTasks({ batchId: 'batch_a', cancelled, tasks } as unknown as AddTasksRequest, call)
  return {
    add,
    places,
    task: () => stored.get(id),
    admitting(how: typeof admit) {
      admit = how
    },
  }
}

test('a task whose model is there no more can be fenced off all the same', async () => {
  const { add, admitting, task, places } = open()
  admitting(async () => {
    throw fail('invalid_parameter', 'There is no such model.', { param: 'model' })
  })
  assert.deepEqual((await add(true)).refused, [])
  assert.equal(task()?.status, 'cancelled')
  assert.equal(task()?.is_fence, true)
  assert.ok((task()?.backoff_ms ?? 0) > 60_000)
  assert.equal(places.size, 0)
})

test('a call that finds the fence makes no task, and gives the place back that it has taken', async () => {
  const { add, admitting, task, places } = open()
  const admitted = Promise.withResolvers<string>()
  admitting(() => admitted.promise)
  const late = add(false)
  await add(true)
  admitted.resolve('admitted')
  await late
  assert.equal(task()?.is_fence, true)
  assert.deepEqual([...places], [])
})

test('a call that finds the task of an earlier one leaves the place with it', async () => {
  const { add, admitting, task, places } = open()
  const admitted = Promise.withResolvers<string>()
  admitting(() => admitted.promise)
  const both = [add(false), add(false)]
  admitted.resolve('admitted')
  await Promise.all(both)
  assert.equal(task()?.is_fence, undefined)
  assert.deepEqual([...places], [id])
})
