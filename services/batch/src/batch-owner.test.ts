import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { timestampMs } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, createClient, createContextValues, type HandlerContext } from '@connectrpc/connect'
import { createIds, fail } from '@millhand/api'
import type { CancelBatchRequest } from '@millhand/api/gen/millhand/batch/v1/batch_pb.ts'
import { BatchTaskService, type BatchTaskState } from '@millhand/api/gen/millhand/batch/v1/batch_task_service_pb.ts'
import { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import { TaskStatus } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { CancelOutcome } from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import type { Blobs } from '@millhand/blob'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import type { LoggedEvent } from '@millhand/eventlog'
import { type ManualClock, manualClock } from '@millhand/process'
import { createDirectTransport, principal, principalKey, serve } from '@millhand/rpc'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { type Batches, type BatchRecord, batchesSpec } from './batch.ts'
import type { BatchDeps } from './batch-deps.ts'
import { BatchOwner, type OwnerDeps } from './batch-owner.ts'
import { countsOf, itemsSpec, newItems } from './item-state.ts'
import { takePlans } from './plan-changes.ts'
import { cancelBatch } from './rpc/cancel-batch.ts'
import { taskIdOf } from './task-ids.ts'

const TOTAL = 250
const WINDOW_S = 3_600
const tenant = 'acct_1/live'

let folder: string
let db: SqliteDatabase
let blobs: Blobs
let clock: ManualClock
let batches: Batches
let batch: BatchRecord
let deps: OwnerDeps
let ending: AbortController
/** The tasks that compute has, and how often each was to be made. */
let tasks: Map<string, { status: TaskStatus; asked: number; queueTimeoutS: number | undefined }>
/** The contents of files, by their name. */
let files: Map<string, string>
/** What compute does with a file before it has it. */
let receive: (name: string, text: string, tenant: string) => Promise<void> | void

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millhand-batch-'))
  db = openSqlite({ file: join(folder, 'millhand.db') })
  blobs = await filesystemBlobs(join(folder, 'blobs'))
  clock = manualClock(Date.UTC(2026, 10, 26))
  tasks = new Map()
  files = new Map()
  receive = () => {}
  ending = new AbortController()
  const ids = createIds({ now: () => clock.now() })
  batches = db.collection(batchesSpec)
  const items = db.collection<ReturnType<typeof newItems>>(itemsSpec)
  const transport = compute()
  const log = createLog({ level: 'error', write: () => {} })
  deps = {
    ...{ batches, items, blobs, clock, ids, log, retentionMs: 86_400_000, wake: () => {} },
    tasks: { compute: createClient(BatchTaskService, transport), workforce: createClient(BatchTaskService, transport) },
    taskFiles: createClient(TaskFileService, transport),
  }
  newId = () => ids('batch')
  batch = await addBatch(tenant, TOTAL)
})
let newId: () => BatchRecord['id']
const gone = { param: 'model', code: 'invalid_parameter', message: 'There is no such model.' }
const inference = { type: 'inference', model: 'm', input: '1' }

/** `employees` are at every third line. */
async function addBatch(tenant: string, total: number, employees = false): Promise<BatchRecord> {
  const id = newId()
  const batch: BatchRecord = {
    ...{ id, tenant, version: 1, account_id: tenant.slice(0, 6), mode: 'live', status: 'running', total },
    plans: { compute: '', developer: '', workforce: '' },
    counts: countsOf(newItems(tenant, id, total)),
    lines: `batches/${tenant}/${id}/1`,
    lines_bytes: 0,
    with_employees: employees,
    completion_window_s: WINDOW_S,
    metadata: {},
    created_at: clock.now(),
    accepted_at: clock.now(),
    expires_at: clock.now() + WINDOW_S * 1000,
    resource_version: 1,
    unseen: 'yes',
  }
  const line = (n: number) => {
    const work = employees && n % 3 === 2 ? { employee: 'emma', task: 't', input: {} } : inference
    return `${JSON.stringify({ custom_id: `c${n}`, ...work })}\n`
  }
  await blobs.put(batch.lines, Buffer.from(Array.from({ length: total }, (_, n) => line(n)).join('')))
  await batches.write({ kind: 'insert', document: batch, events: [] })
  return batch
}
afterEach(async () => {
  ending.abort()
  await db.close()
  await rm(folder, { recursive: true })
})

/** What an owner calls. After `room` tasks of a call it dies; `queue` tasks may wait at once. */
let room = Number.POSITIVE_INFINITY
let queue = Number.POSITIVE_INFINITY
/** Of the last call that made tasks: when its batch was accepted, and until when they are kept. */
let batchTimes: (number | undefined)[]
/** The plan by which the last call made tasks. */
let plan: string
/** How often tasks were to be made, and the calls that have failed and go on all the same. */
let adds = 0
let late: (() => void)[] | undefined
/** Batches whose files and models may be removed. */
let released: string[]
let release: (batchId: string) => Promise<object>
/** Tasks whose data was deleted. */
let deleted: Set<string>
/** Tasks that can't be made. */
let refused: Set<string>
/** What the ids of tasks begin with whose service can't be reached. */
let away = '-'
const requireService = (ids: readonly string[]) => {
  if (ids.some(id => id.startsWith(away))) throw fail('unavailable', 'It is away.')
}
function compute() {
  const transport = createDirectTransport()
  room = queue = Number.POSITIVE_INFINITY
  adds = 0
  late = undefined
  away = '-'
  released = []
  release = async id => {
    released.push(id)
    return {}
  }
  deleted = new Set()
  refused = new Set()
  serve(router => {
    router.service(BatchTaskService, {
      async addTasks({ tasks: asked, cancelled, acceptedAt, keepUntil }, call) {
        adds++
        plan = principal(call).plans.compute
        batchTimes = [acceptedAt, keepUntil].map(time => time && timestampMs(time))
        requireService(asked.map(({ id }) => id))
        const waiting = [...tasks.values()].filter(({ status }) => status === TaskStatus.QUEUED).length
        const taken = cancelled ? asked.length : Math.min(asked.length, Math.max(0, queue - waiting))
        const add = () => {
          for (const { id, queueTimeoutS } of asked.slice(0, Math.min(room, taken))) {
            if (refused.has(id)) continue
            const known = tasks.get(id) ?? { status: TaskStatus.QUEUED, asked: 0, queueTimeoutS }
            tasks.set(id, { ...known, asked: known.asked + 1 })
            if (cancelled) endTask(id, TaskStatus.CANCELLED)
          }
        }
        if (late !== undefined) {
          late.push(add)
          throw fail('unavailable', 'It took too long.')
        }
        add()
        if (asked.length > room) throw new Error('compute died')
        const faults = asked.flatMap(({ id }, index) => (refused.has(id) ? [{ index, ...gone }] : []))
        return { taken, refused: faults }
      },
      async getTasks({ ids }) {
        requireService(ids)
        const state = (id: string): BatchTaskState => ({
          $typeName: 'millhand.batch.v1.BatchTaskState',
          id,
          status: tasks.get(id)?.status ?? TaskStatus.UNSPECIFIED,
          ...(!deleted.has(id) && { output: '7' }),
        })
        return { tasks: ids.slice(0, 90).map(state) }
      },
      releaseInputs: ({ batchId }) => release(batchId),
      async cancelTasks({ ids }) {
        requireService(ids)
        for (const id of ids) endTask(id, TaskStatus.CANCELLED)
        return {}
      },
    })
    router.service(TaskFileService, {
      async storeTaskFile(requests, call) {
        let name = ''
        let text = ''
        for await (const { part } of requests)
          if (part.case === 'file') name = part.value.filename
          else if (part.case === 'data') text += Buffer.from(part.value).toString('utf8')
        await receive(name, text, principal(call).tenant)
        files.set(name, files.get(name) ?? text)
        return { id: name }
      },
      keepTaskFile: async () => ({ kept: true }),
    })
  }, transport)
  return transport
}

function endTask(id: string, status: TaskStatus): void {
  const task = tasks.get(id)
  if (task?.status === TaskStatus.QUEUED) tasks.set(id, { ...task, status })
}

const idOf = (index: number) => taskIdOf('task', batch.id, index)
const now = async ({ tenant, id } = batch) => (await batches.get(tenant, id)) as BatchRecord
/** Batches end beside the passes. */
async function ended(one = batch): Promise<BatchRecord> {
  for (;;) {
    const record = await now(one)
    if (record.finished_at !== undefined) return record
    await turn()
  }
}
const turn = () => new Promise(resolve => setImmediate(resolve))
const linesOf = (name: string) =>
  (files.get(name) ?? '')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)

/** A pass, with the steps that it starts. */
async function step(owner: BatchOwner): Promise<void> {
  await owner.pass()
  await owner.settled()
}

test('an owner that died while it made tasks is followed by one that makes each once', async () => {
  const first = new BatchOwner(deps, ending.signal)
  room = 40
  await step(first)
  assert.equal(tasks.size, 40)
  room = Number.POSITIVE_INFINITY
  for (const index of range(0, 10)) endTask(idOf(index), TaskStatus.SUCCEEDED)
  const second = new BatchOwner(deps, ending.signal)
  await step(second)
  assert.deepEqual([...tasks.keys()], range(0, TOTAL).map(idOf))
  const { counts } = await now()
  assert.deepEqual([counts.succeeded, counts.queued], [10, TOTAL - 10])
  for (const index of range(10, TOTAL)) endTask(idOf(index), TaskStatus.SUCCEEDED)
  await step(new BatchOwner(deps, ending.signal))
  const { status, error_file } = await ended()
  assert.deepEqual([status, error_file], ['completed', undefined])
  assert.deepEqual(released, [batch.id])
  assert.deepEqual(
    linesOf('output.jsonl'),
    range(0, TOTAL).map(index => ({ custom_id: `c${index}`, index, task_id: idOf(index), output: 7 })),
  )
})

test('a batch ends also where compute is of an earlier version, which holds no files and models', async () => {
  release = async () => {
    throw new ConnectError('there is no such method', Code.Unimplemented)
  }
  const owner = new BatchOwner(deps, ending.signal)
  await step(owner)
  owner.addNews(tenant, batch.id, new Map(range(0, TOTAL).map(index => [index, 'succeeded'])))
  await step(owner)
  assert.equal((await ended()).status, 'completed')
})

test('news that comes late or again changes nothing that has ended', async () => {
  const owner = new BatchOwner(deps, ending.signal)
  await step(owner)
  for (const state of ['running', 'succeeded', 'running', 'queued', 'succeeded'] as const) {
    owner.addNews(tenant, batch.id, new Map([[3, state]]))
    await step(owner)
  }
  const { counts } = await now()
  assert.deepEqual([counts.succeeded, counts.queued, counts.running], [1, TOTAL - 1, 0])
})

test('after the completion window nothing is made, what was done is kept, and the rest is named', async () => {
  const owner = new BatchOwner(deps, ending.signal)
  room = 70
  await step(owner)
  for (const index of range(0, 60)) endTask(idOf(index), TaskStatus.SUCCEEDED)
  assert.deepEqual(new Set([...tasks.values()].map(task => task.queueTimeoutS)), new Set([WINDOW_S]))
  const made = tasks.size
  assert.equal(made, 70)
  for (const index of range(60, made)) endTask(idOf(index), TaskStatus.EXPIRED)
  await clock.advance(WINDOW_S * 1000)
  room = Number.POSITIVE_INFINITY
  await step(owner)
  const { status, counts } = await ended()
  assert.deepEqual([status, tasks.size], ['expired', made])
  assert.deepEqual([counts.succeeded, counts.expired], [60, TOTAL - 60])
  assert.equal(linesOf('output.jsonl').length, 60)
  const rest = linesOf('error.jsonl')
  assert.deepEqual(
    rest.map(({ index, task_id, error }) => [index, task_id, error.code]),
    range(60, TOTAL).map(index => [index, index < made ? idOf(index) : undefined, 'batch_expired']),
  )
})

/** Makes the tasks of the batch, and ends each as it is said. */
async function run(owner: BatchOwner, statusOf: (index: number) => TaskStatus): Promise<void> {
  await step(owner)
  for (const index of range(0, TOTAL)) endTask(idOf(index), statusOf(index))
  // Without events the owner asks for the tasks after 30 s, and where nothing had changed then, after a minute more.
  await clock.advance(60_000)
  await step(owner)
}
const failAfter = (most: number) => (index: number) => (index < most ? TaskStatus.SUCCEEDED : TaskStatus.FAILED)

test('a file that is too large goes without its outputs, and the batch says so', async () => {
  receive = (_, text) => {
    if (text.includes('"output":7')) throw fail('payload_too_large', 'A file has at most so much.')
  }
  await run(new BatchOwner(deps, ending.signal), failAfter(200))
  const { status, output_file, error_file, results_error } = await ended()
  assert.deepEqual([status, results_error?.code], ['completed', 'output_too_large'])
  assert.deepEqual([output_file, error_file], ['output.jsonl', 'error.jsonl'])
  assert.deepEqual(
    linesOf('output.jsonl'),
    range(0, 200).map(index => ({
      custom_id: `c${index}`,
      index,
      task_id: idOf(index),
      output_omitted: true,
      reason: 'output_too_large',
    })),
  )
})

test('a batch whose account has no storage left ends without its files', async () => {
  receive = () => {
    throw fail('storage_quota_exceeded', 'There is no room.')
  }
  await run(new BatchOwner(deps, ending.signal), failAfter(200))
  const { status, output_file, error_file, results_error, counts } = await ended()
  assert.deepEqual([status, results_error?.code], ['completed', 'storage_quota_exceeded'])
  assert.deepEqual([output_file, error_file], [undefined, undefined])
  assert.deepEqual([counts.succeeded, counts.failed], [200, TOTAL - 200])
})

test('a batch that is slow to end holds up no other, and one that can not end is tried ever more rarely', async () => {
  const slow = Promise.withResolvers<void>()
  let tries = 0
  receive = async (_, __, of) => {
    if (of === tenant) return slow.promise
    if (of !== 'acct_3/live') return
    tries++
    throw fail('unavailable', 'Compute is away.')
  }
  const owner = new BatchOwner(deps, ending.signal)
  const [other, broken] = [await addBatch('acct_2/live', 1), await addBatch('acct_3/live', 1)]
  await step(owner)
  for (const id of tasks.keys()) endTask(id, TaskStatus.SUCCEEDED)
  await clock.advance(30_000)
  await step(owner)
  assert.equal((await ended(other)).status, 'completed')
  assert.equal((await now()).status, 'running')
  for (let second = 0; second < 100; second++) {
    await clock.advance(1_000)
    await step(owner)
    for (let turns = 0; turns < 50; turns++) await turn()
  }
  assert.ok(tries >= 5 && tries <= 8, `${tries} tries`)
  assert.equal((await now(broken)).status, 'running')
  slow.resolve()
  assert.equal((await ended()).status, 'completed')
})

test('the end of a task of which no event came is found, in a batch that is being cancelled too', async () => {
  const owner = new BatchOwner(deps, ending.signal)
  await step(owner)
  owner.addNews(tenant, batch.id, new Map(range(0, TOTAL).map(index => [index, 'running'])))
  for (const [id, task] of tasks) tasks.set(id, { ...task, status: TaskStatus.RUNNING })
  const { version, ...record } = await now()
  await batches.write({
    kind: 'replace',
    version,
    document: { ...record, status: 'cancelling', unseen: 'yes' },
    events: [],
  })
  await step(owner)
  for (const [id, task] of tasks) tasks.set(id, { ...task, status: TaskStatus.CANCELLED })
  for (let second = 0; second <= 30; second++) {
    await clock.advance(1_000)
    await step(owner)
  }
  assert.equal((await ended()).status, 'cancelled')
})

test('an owner that could not look at what is there looks later, also where news comes first', async () => {
  room = 40
  await step(new BatchOwner(deps, ending.signal))
  room = Number.POSITIVE_INFINITY
  for (const index of range(0, 10)) endTask(idOf(index), TaskStatus.SUCCEEDED)
  const second = new BatchOwner(deps, ending.signal)
  away = 'task_'
  for (const wait of [0, 1_000]) {
    await clock.advance(wait)
    second.addNews(tenant, batch.id, new Map([[39, 'running']]))
    await step(second)
    assert.equal((await now()).counts.succeeded, wait === 0 ? 0 : 10)
    away = '-'
  }
  const { counts } = await now()
  assert.deepEqual([counts.succeeded, counts.running], [10, 1])
})

test('a batch that is larger than the queue goes on as that empties, and does not ask all the time', async () => {
  queue = 30
  const owner = new BatchOwner(deps, ending.signal)
  for (let pass = 0; pass < 1_000; pass++) {
    await clock.advance(50)
    await step(owner)
  }
  assert.equal(tasks.size, 30)
  assert.ok(adds < 30, `${adds} calls`)
  for (let made = 0; made < TOTAL; ) {
    const some = [...tasks].filter(([, { status }]) => status === TaskStatus.QUEUED).map(([id]) => id)
    for (const id of some) endTask(id, TaskStatus.SUCCEEDED)
    owner.addNews(tenant, batch.id, new Map(range(made, made + some.length).map(index => [index, 'succeeded'])))
    made += some.length
    await step(owner)
  }
  assert.equal((await ended()).counts.succeeded, TOTAL)
  assert.deepEqual(new Set([...tasks.values()].map(({ asked }) => asked)), new Set([1]))
})

test('tasks that are made after a change of plans have those that the account has then', async () => {
  const other = await addBatch('acct_2/live', 1)
  const owner = new BatchOwner(deps, ending.signal)
  queue = 100
  await step(owner)
  assert.equal(plan, '')
  const changed = (account_id: string, compute: unknown) =>
    ({
      ...{ id: 'evt_1', type: 'account.plans_changed', key: account_id, topic: 'millhand.identity.v1' },
      ...{ time: clock.now(), position: '1' },
      value: JSON.stringify({ account_id, data: { object: { compute, developer: 'free', workforce: 'starter' } } }),
    }) satisfies LoggedEvent
  const events = [
    changed('acct_1', 'growth'),
    changed('acct_3', 'scale'),
    changed('acct_1', 7),
    changed('acct_1', 'scale'),
  ]
  await takePlans(deps, events, deps.log)
  await takePlans(deps, events, deps.log)
  assert.deepEqual([(await now()).plans.compute, (await now(other)).plans.compute], ['scale', ''])
  for (const index of range(0, 100)) endTask(idOf(index), TaskStatus.SUCCEEDED)
  owner.addNews(tenant, batch.id, new Map(range(0, 100).map(index => [index, 'succeeded'])))
  await step(owner)
  assert.equal(plan, 'scale')
})

test('a call that has failed and goes on makes nothing that runs once the batch is cancelled', async () => {
  late = []
  const owner = new BatchOwner(deps, ending.signal)
  await step(owner)
  const [add] = late
  late = undefined
  queue = 40
  await clock.advance(2_000)
  await step(owner)
  assert.equal(tasks.size, 40)
  const { version, ...record } = await now()
  await batches.write({
    kind: 'replace',
    version,
    document: { ...record, status: 'cancelling', unseen: 'yes' },
    events: [],
  })
  await step(owner)
  queue = Number.POSITIVE_INFINITY
  add?.()
  assert.deepEqual([...new Set([...tasks.values()].map(({ status }) => status))], [TaskStatus.CANCELLED])
  await clock.advance(30_000)
  await step(owner)
  const { status, counts } = await ended()
  assert.deepEqual([status, counts.cancelled], ['cancelled', TOTAL])
})

test('tasks of employees and of models are one batch, in their order, whatever owner makes them', async () => {
  const mixed = await addBatch('acct_2/live', 120, true)
  const idAt = (index: number) => taskIdOf(index % 3 === 2 ? 'wtask' : 'task', mixed.id, index)
  const first = new BatchOwner(deps, ending.signal)
  room = 10
  await step(first)
  room = Number.POSITIVE_INFINITY
  const second = new BatchOwner(deps, ending.signal)
  await step(second)
  for (const index of range(0, 120)) endTask(idAt(index), index < 100 ? TaskStatus.SUCCEEDED : TaskStatus.FAILED)
  await step(new BatchOwner(deps, ending.signal))
  const { counts } = await ended(mixed)
  assert.deepEqual([counts.succeeded, counts.failed], [100, 20])
  assert.deepEqual(
    [...linesOf('output.jsonl'), ...linesOf('error.jsonl')].map(({ index, custom_id, task_id }) => [
      index,
      custom_id,
      task_id,
    ]),
    range(0, 120).map(index => [index, `c${index}`, idAt(index)]),
  )
})

test('a service that can not be reached stops neither the news nor the steps of other batches', async () => {
  const owner = new BatchOwner(deps, ending.signal)
  const mixed = await addBatch('acct_2/live', 9, true)
  await step(owner)
  away = 'wtask_'
  await clock.advance(30_000)
  await step(owner) // The mixed batch is asked for, and fails.
  for (const index of range(0, TOTAL)) endTask(idOf(index), TaskStatus.SUCCEEDED)
  owner.addNews('acct_2/live', mixed.id, new Map([[0, 'succeeded']]))
  owner.addNews(tenant, batch.id, new Map(range(0, TOTAL).map(index => [index, 'succeeded'])))
  await step(owner)
  assert.equal((await ended()).counts.succeeded, TOTAL)
  assert.equal((await now(mixed)).status, 'running')
  away = '-'
  for (const id of tasks.keys()) endTask(id, TaskStatus.SUCCEEDED)
  await clock.advance(60_000)
  await step(owner)
  assert.equal((await ended(mixed)).counts.succeeded, 9)
})

test('a step that takes long holds up no other batch', async () => {
  const other = await addBatch('acct_2/live', 1)
  const slow = Promise.withResolvers<Buffer>()
  const get: Blobs['get'] = async (key, range) => {
    if (key === batch.lines) await slow.promise
    return await blobs.get(key, range)
  }
  const owner = new BatchOwner({ ...deps, blobs: { ...blobs, get } }, ending.signal)
  await owner.pass()
  while (tasks.size === 0) await turn()
  owner.addNews(other.tenant, other.id, new Map([[0, 'succeeded']]))
  while ((await now(other)).status === 'running') {
    await owner.pass()
    await turn()
  }
  assert.equal((await now()).counts.queued, TOTAL)
  slow.resolve(Buffer.alloc(0))
  await owner.settled()
  assert.equal(tasks.size, TOTAL + 1)
})

test("a cancel stops the tasks of models where employees' can not be reached", async () => {
  const mixed = await addBatch('acct_2/live', 9, true)
  const owner = new BatchOwner(deps, ending.signal)
  await step(owner)
  const { version, ...record } = await now(mixed)
  await batches.write({
    kind: 'replace',
    version,
    document: { ...record, status: 'cancelling', unseen: 'yes' },
    events: [],
  })
  away = 'wtask_'
  for (const one of [owner, new BatchOwner(deps, ending.signal)]) {
    for (const [id, task] of tasks) tasks.set(id, { ...task, status: TaskStatus.QUEUED })
    await step(one)
    const statuses = range(0, 9).map(index => tasks.get(taskIdOf('task', mixed.id, index))?.status)
    assert.deepEqual(new Set(statuses), new Set([TaskStatus.CANCELLED, undefined]))
    assert.equal((await now(mixed)).status, 'cancelling')
  }
  away = '-'
  await clock.advance(60_000)
  await step(owner)
  assert.equal((await ended(mixed)).status, 'cancelled')
})

test('a line whose output was deleted before the end says so, and so does the batch', async () => {
  for (const index of range(0, 5)) deleted.add(idOf(index))
  await run(new BatchOwner(deps, ending.signal), () => TaskStatus.SUCCEEDED)
  assert.equal((await ended()).results_error?.code, 'data_deleted')
  const lines = linesOf('output.jsonl')
  assert.equal(lines.length, TOTAL)
  assert.deepEqual(
    lines.slice(4, 6).map(({ output, output_omitted, reason }) => [output, output_omitted, reason]),
    [
      [undefined, true, 'data_deleted'],
      [7, undefined, undefined],
    ],
  )
})

test('lines that can not be made any more have failed at once, and name why', async () => {
  for (const index of range(0, 120)) refused.add(idOf(index))
  const owner = new BatchOwner(deps, ending.signal)
  await step(owner)
  const { counts } = await now()
  assert.deepEqual([counts.failed, counts.queued], [120, TOTAL - 120])
  for (const index of range(120, TOTAL)) endTask(idOf(index), TaskStatus.SUCCEEDED)
  await clock.advance(30_000)
  await step(owner)
  assert.equal((await ended()).status, 'completed')
  assert.deepEqual(
    linesOf('error.jsonl').map(({ index, error }) => [index, error.message]),
    range(0, 120).map(index => [index, gone.message]),
  )
})

test('a line that the running version does not accept any more fails by itself', async () => {
  const valid = JSON.stringify(inference)
  const lines = Array.from({ length: TOTAL }, (_, n) => (n === 7 ? '{"type":"of before"}' : valid))
  await blobs.put(batch.lines, Buffer.from(lines.map(line => `${line}\n`).join('')))
  const owner = new BatchOwner(deps, ending.signal)
  await step(owner)
  assert.equal(tasks.size, TOTAL - 1)
  assert.equal((await now()).counts.failed, 1)
  for (const id of tasks.keys()) endTask(id, TaskStatus.SUCCEEDED)
  await clock.advance(30_000)
  await step(owner)
  assert.equal((await ended()).counts.succeeded, TOTAL - 1)
  const [failed] = linesOf('error.jsonl')
  assert.deepEqual([failed.index, failed.error.code], [7, 'invalid_parameter'])
})

test('a queue timeout of a line that is shorter than the window is its own, also in a batch that ends late', async () => {
  const timeout = JSON.stringify({ ...inference, queue_timeout_s: 60 })
  const lines = Array.from({ length: TOTAL }, (_, n) => (n === 0 ? timeout : JSON.stringify(inference)))
  await blobs.put(batch.lines, Buffer.from(lines.map(line => `${line}\n`).join('')))
  const owner = new BatchOwner(deps, ending.signal)
  await step(owner)
  assert.equal(tasks.get(idOf(0))?.queueTimeoutS, 60)
  await clock.advance(WINDOW_S * 1000)
  await run(owner, index => (index === 0 ? TaskStatus.EXPIRED : TaskStatus.SUCCEEDED))
  assert.equal((await ended()).status, 'completed')
  assert.deepEqual(
    linesOf('error.jsonl').map(({ index, error }) => [index, error.code]),
    [[0, 'queue_timeout']],
  )
})

test('a batch whose tasks have all ended can not be cancelled while its files are written', async () => {
  const slow = Promise.withResolvers<void>()
  receive = () => slow.promise
  await run(new BatchOwner(deps, ending.signal), () => TaskStatus.SUCCEEDED)
  while ((await now()).tasks_ended_at === undefined) await turn()
  const cancel = cancelBatch({ ...deps, wake: () => {} } as unknown as BatchDeps)
  const call = { values: createContextValues().set(principalKey, { tenant } as never) } as HandlerContext
  const answer = await cancel({ id: batch.id } as CancelBatchRequest, call)
  assert.equal(answer.outcome, CancelOutcome.ALREADY_FINISHED)
  slow.resolve()
  const { status, cancel_requested_at } = await ended()
  assert.deepEqual([status, cancel_requested_at], ['completed', undefined])
})

test('the end of the last task is noted when it is known, also where the files wait for those of other batches', async () => {
  const slow = Promise.withResolvers<void>()
  receive = () => slow.promise
  const owner = new BatchOwner(deps, ending.signal)
  await step(owner)
  const others = [await addBatch(tenant, 1), await addBatch(tenant, 1)]
  owner.addNews(tenant, batch.id, new Map(range(1, TOTAL).map(index => [index, 'succeeded'])))
  for (const other of others) {
    await step(owner)
    owner.addNews(tenant, other.id, new Map([[0, 'succeeded']]))
  }
  await step(owner)
  await clock.advance(60_000)
  const endedAt = clock.now()
  owner.addNews(tenant, batch.id, new Map([[0, 'succeeded']]))
  await step(owner)
  assert.equal((await now()).tasks_ended_at, endedAt)
  await clock.advance(2 * WINDOW_S * 1000)
  slow.resolve()
  const { status, tasks_ended_at } = await ended()
  assert.deepEqual([status, tasks_ended_at], ['completed', endedAt])
})

test('batches of which there is no news cost nothing, and one that is new or cancelled is seen at once', async () => {
  const asked: string[] = []
  const watched: Batches = {
    ...{ count: batches.count.bind(batches), write: batches.write.bind(batches) },
    async get(of, id) {
      asked.push(`get ${id}`)
      return await batches.get(of, id)
    },
    async find(index, query) {
      const found = await batches.find(index, query)
      asked.push(`find ${index} ${found.length}`)
      return found
    },
  }
  for (let n = 0; n < 20; n++) await addBatch(`acct_${n % 9}/live`, 3)
  const owner = new BatchOwner({ ...deps, batches: watched }, ending.signal)
  await step(owner)
  asked.length = 0
  for (let pass = 0; pass < 20; pass++) {
    await clock.advance(1_000)
    await step(owner)
  }
  assert.deepEqual(new Set(asked), new Set(['find unseen 0']))
  const late = await addBatch('acct_9/live', 3)
  await step(owner)
  assert.ok(tasks.has(taskIdOf('task', late.id, 2)))
  const cancel = cancelBatch({ ...deps, wake: () => {} } as unknown as BatchDeps)
  const call = { values: createContextValues().set(principalKey, { tenant } as never) } as HandlerContext
  await cancel({ id: batch.id } as CancelBatchRequest, call)
  await step(owner)
  assert.equal(tasks.get(idOf(0))?.status, TaskStatus.CANCELLED)
})

test('the time that a batch waits begins when it was accepted, and its data outlives its window', async () => {
  await run(new BatchOwner(deps, ending.signal), () => TaskStatus.SUCCEEDED)
  assert.deepEqual(batchTimes, [batch.accepted_at, batch.expires_at + 90_000_000])
})
