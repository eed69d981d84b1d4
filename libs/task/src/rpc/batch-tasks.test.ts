/** Tasks of batches that are cancelled while a call that makes them is on its way. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { createContextValues, type HandlerContext } from '@connectrpc/connect'
import { createIds, fail } from '@millhand/api'
import {
  type AddTasksRequest,
  AddTasksRequestSchema,
  type GetTasksRequest,
} from '@millhand/api/gen/millhand/batch/v1/batch_task_service_pb.ts'
import { TaskStatus } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { principalKey, violations } from '@millhand/rpc'
import { type Errand, errandAt, errandKind, errandTransition } from '../errand.fixture.ts'
import { dataExpiresAt, queueExpiresAt } from '../task.ts'
import { type BatchTaskKind, batchTaskMethods } from './batch-tasks.ts'

const noon = Date.UTC(2026, 10, 21, 12)
const tenant = 'acct_a/live'
const id = createIds({ now: () => noon })('wtask')

function open() {
  const stored = new Map<string, Errand>()
  const places = new Set<string>()
  let reads = 0
  const deps = {
    kind: errandKind,
    inputs: { keep: async () => {}, remove: async () => {} },
    newEventId: () => 'evt_1',
    tasks: {
      async get(_: string, id: string) {
        reads++
        return stored.get(id)
      },
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
    toMessage: () => ({ status: TaskStatus.SUCCEEDED, error: undefined, outputFile: undefined }) as never,
    outputOf: ({ output }) => output,
  }
  const { addTasks, getTasks } = batchTaskMethods(deps, own)
  const caller = { accountId: 'acct_a', mode: 'live', tenant, scopes: [], plans: {} } as never
  const values = createContextValues().set(principalKey, caller)
  const call = { values, signal: new AbortController().signal } as HandlerContext
  const tasks = [{ id, request: {}, queueTimeoutS: 60 }]
  const add = async (cancelled: boolean, times: Partial<AddTasksRequest> = {}) =>
    await addTasks({ batchId: 'batch_a', cancelled, tasks, ...times } as unknown as AddTasksRequest, call)
  return {
    add,
    places,
    /** Asks for tasks that have such an output; resolves with how many an answer has, and how many were read. */
    async get(count: number, output: string, outputs: boolean) {
      const ids = Array.from({ length: count }, (_, n) => `wtask_${n}`)
      for (const id of ids) stored.set(id, { ...errandAt(noon), id, output })
      reads = 0
      const { tasks = [] } = await getTasks({ ids, outputs } as GetTasksRequest, call)
      return { answered: tasks.length, reads }
    },
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

test('a task waits since its batch was accepted, and its data is kept until its batch has needed it', async () => {
  const { add, task } = open()
  const accepted = noon + 7_200_000
  const until = noon + 1_000_000_000
  await add(false, { acceptedAt: timestampFromMs(accepted), keepUntil: timestampFromMs(until) })
  const made = task() as Errand
  assert.deepEqual([made.due_at, queueExpiresAt(made)], [accepted + 60_000, accepted + 60_000])
  assert.equal(dataExpiresAt(made, noon, 1_000), until)
  assert.equal(dataExpiresAt(made, until, 1_000), until + 1_000)
  const ended = errandTransition(made, { kind: 'cancel' }, accepted)
  assert.equal('data_expires_at' in ended && ended.data_expires_at, until)
})

test('a call of an earlier version does not say when the batch was accepted, and its tasks wait from now on', async () => {
  assert.deepEqual(violations(AddTasksRequestSchema, create(AddTasksRequestSchema, { batchId: 'batch_a' })), [])
  const { add, task } = open()
  await add(false)
  assert.equal((task() as Errand).due_at, noon + 60_000)
})

test('of tasks with large outputs few more are read than an answer has', async () => {
  const { get } = open()
  const large = 'x'.repeat(262_144)
  assert.deepEqual(await get(100, large, true), { answered: 4, reads: 10 })
  assert.deepEqual(await get(100, large, false), { answered: 100, reads: 100 })
  assert.deepEqual(await get(100, 'x'.repeat(2_000_000), true), { answered: 1, reads: 10 })
})
