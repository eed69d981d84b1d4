/** Batches with their owners, on a store of their own and a compute that keeps its tasks in memory. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { timestampMs } from '@bufbuild/protobuf/wkt'
import { createClient, type Transport } from '@connectrpc/connect'
import { createIds, fail } from '@millhand/api'
import {
  type AddTasksRequest,
  BatchTaskService,
  type BatchTaskState,
} from '@millhand/api/gen/millhand/batch/v1/batch_task_service_pb.ts'
import { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import { TaskStatus } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { Blobs } from '@millhand/blob'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { type ManualClock, manualClock } from '@millhand/process'
import { createDirectTransport, principal, serve } from '@millhand/rpc'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { type Batches, type BatchRecord, batchesSpec } from './batch.ts'
import { BatchOwner, type OwnerDeps } from './batch-owner.ts'
import { countsOf, itemsSpec, newItems } from './item-state.ts'
import { type ChangedPlans, changedPlansSpec } from './plan-changes.ts'
import { taskIdOf } from './task-ids.ts'

/** Tasks of the batch that there is from the beginning. */
export const TOTAL = 250
export const WINDOW_S = 3_600
export const tenant = 'acct_1/live'
export const gone = { param: 'model', code: 'invalid_parameter', message: 'There is no such model.' }
export const inference = { type: 'inference', model: 'm', input: '1' }

export const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n)
export const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** A pass, with the steps that it starts. */
export async function step(owner: BatchOwner): Promise<void> {
  await owner.pass()
  await owner.settled()
}

export async function openBatches(): Promise<BatchesFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-batch-'))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  const on = new BatchesFixture(folder, db, await filesystemBlobs(join(folder, 'blobs')))
  on.batch = await on.addBatch(tenant, TOTAL)
  return on
}

interface KnownTask {
  readonly status: TaskStatus
  /** How often it was to be made. */
  readonly asked: number
  readonly queueTimeoutS: number | undefined
}

export class BatchesFixture {
  readonly clock: ManualClock = manualClock(Date.UTC(2026, 10, 26))
  readonly db: SqliteDatabase
  readonly blobs: Blobs
  readonly batches: Batches
  readonly deps: OwnerDeps
  batch!: BatchRecord
  /** The tasks that compute has. */
  readonly tasks = new Map<string, KnownTask>()
  /** The contents of files, by their name. */
  readonly files = new Map<string, string>()
  /** What compute does with a file before it has it. */
  receive: (name: string, text: string, tenant: string) => Promise<void> | void = () => {}
  /** After so many tasks of a call compute dies; `queue` tasks may wait at once. */
  room = Number.POSITIVE_INFINITY
  queue = Number.POSITIVE_INFINITY
  /** Of the last call that made tasks: when its batch was accepted, and until when they are kept. */
  batchTimes: (number | undefined)[] = []
  /** The plan by which the last call made tasks, and by which each task was made. */
  plan = ''
  readonly plans = new Map<string, string>()
  /** How often tasks were to be made, and the calls that have failed and go on all the same. */
  adds = 0
  late: (() => void)[] | undefined
  /** Batches whose files and models may be removed. */
  readonly released: string[] = []
  release = async (id: string): Promise<object> => {
    this.released.push(id)
    return {}
  }
  /** Tasks whose data was deleted. */
  readonly deleted = new Set<string>()
  /** Tasks that can't be made. */
  readonly refused = new Set<string>()
  /** What the ids of tasks begin with whose service can't be reached. */
  away = '-'
  readonly #ending = new AbortController()
  readonly #folder: string

  constructor(folder: string, db: SqliteDatabase, blobs: Blobs) {
    this.#folder = folder
    this.db = db
    this.blobs = blobs
    this.batches = db.collection(batchesSpec)
    const { clock, batches } = this
    const transport = this.#compute()
    this.deps = {
      ...{ batches, blobs, clock, retentionMs: 86_400_000, wake: () => {} },
      items: db.collection<ReturnType<typeof newItems>>(itemsSpec),
      changedPlans: db.collection<ChangedPlans, 'due'>(changedPlansSpec),
      ids: createIds({ now: () => clock.now() }),
      log: createLog({ level: 'error', write: () => {} }),
      tasks: {
        compute: createClient(BatchTaskService, transport),
        workforce: createClient(BatchTaskService, transport),
      },
      taskFiles: createClient(TaskFileService, transport),
    }
  }

  async close(): Promise<void> {
    this.#ending.abort()
    await this.db.close()
    await rm(this.#folder, { recursive: true })
  }

  /** Another owner, which knows what is stored. */
  owner(other: Partial<OwnerDeps> = {}): BatchOwner {
    return new BatchOwner({ ...this.deps, ...other }, this.#ending.signal)
  }

  /** `employees` are at every third line. */
  async addBatch(tenant: string, total: number, employees = false): Promise<BatchRecord> {
    const { clock, batches, blobs } = this
    const id = this.deps.ids('batch')
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
    await blobs.put(batch.lines, Buffer.from(range(0, total).map(line).join('')))
    await batches.write({ kind: 'insert', document: batch, events: [] })
    return batch
  }

  /** As `DELETE /v1/batches/{id}` does. */
  async requestCancel(of: BatchRecord): Promise<void> {
    const { version, ...record } = await this.now(of)
    const document: BatchRecord = { ...record, version, status: 'cancelling', unseen: 'yes' }
    await this.batches.write({ kind: 'replace', version, document, events: [] })
  }

  idOf(index: number): string {
    return taskIdOf('task', this.batch.id, index)
  }

  endTask(id: string, status: TaskStatus): void {
    const task = this.tasks.get(id)
    if (task?.status === TaskStatus.QUEUED) this.tasks.set(id, { ...task, status })
  }

  async now({ tenant, id } = this.batch): Promise<BatchRecord> {
    return (await this.batches.get(tenant, id)) as BatchRecord
  }

  /** Batches end beside the passes. */
  async ended(one = this.batch): Promise<BatchRecord> {
    for (;;) {
      const record = await this.now(one)
      if (record.finished_at !== undefined) return record
      await turn()
    }
  }

  /** Makes the tasks of the batch, and ends each as it is said. */
  async run(owner: BatchOwner, statusOf: (index: number) => TaskStatus): Promise<void> {
    await step(owner)
    for (const index of range(0, TOTAL)) this.endTask(this.idOf(index), statusOf(index))
    // Without events the owner asks for the tasks after 30 s, and where nothing had changed then, after a minute more.
    await this.clock.advance(60_000)
    await step(owner)
  }

  // biome-ignore lint/suspicious/noExplicitAny: lines of a file are whatever JSON they hold
  linesOf(name: string): any[] {
    return (this.files.get(name) ?? '')
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line))
  }

  #requireService(ids: readonly string[]): void {
    if (ids.some(id => id.startsWith(this.away))) throw fail('unavailable', 'It is away.')
  }

  #addTasks({ tasks: asked, cancelled, acceptedAt, keepUntil }: AddTasksRequest) {
    this.adds++
    this.batchTimes = [acceptedAt, keepUntil].map(time => time && timestampMs(time))
    this.#requireService(asked.map(({ id }) => id))
    const waiting = [...this.tasks.values()].filter(({ status }) => status === TaskStatus.QUEUED).length
    const taken = cancelled ? asked.length : Math.min(asked.length, Math.max(0, this.queue - waiting))
    const add = () => {
      for (const { id, queueTimeoutS } of asked.slice(0, Math.min(this.room, taken))) {
        if (this.refused.has(id)) continue
        const known = this.tasks.get(id) ?? { status: TaskStatus.QUEUED, asked: 0, queueTimeoutS }
        this.tasks.set(id, { ...known, asked: known.asked + 1 })
        if (cancelled) this.endTask(id, TaskStatus.CANCELLED)
      }
    }
    if (this.late !== undefined) {
      this.late.push(add)
      throw fail('unavailable', 'It took too long.')
    }
    add()
    if (asked.length > this.room) throw new Error('compute died')
    const faults = asked.flatMap(({ id }, index) => (this.refused.has(id) ? [{ index, ...gone }] : []))
    return { taken, refused: faults }
  }

  #compute(): Transport {
    const transport = createDirectTransport()
    serve(router => {
      router.service(BatchTaskService, {
        addTasks: async (req, call) => {
          this.plan = principal(call).plans.compute
          for (const { id } of req.tasks) this.plans.set(id, this.plan)
          return this.#addTasks(req)
        },
        getTasks: async ({ ids }) => {
          this.#requireService(ids)
          const state = (id: string): BatchTaskState => ({
            $typeName: 'millhand.batch.v1.BatchTaskState',
            id,
            status: this.tasks.get(id)?.status ?? TaskStatus.UNSPECIFIED,
            ...(!this.deleted.has(id) && { output: '7' }),
          })
          return { tasks: ids.slice(0, 90).map(state) }
        },
        releaseInputs: ({ batchId }) => this.release(batchId),
        cancelTasks: async ({ ids }) => {
          this.#requireService(ids)
          for (const id of ids) this.endTask(id, TaskStatus.CANCELLED)
          return {}
        },
      })
      router.service(TaskFileService, {
        storeTaskFile: async (requests, call) => {
          let name = ''
          let text = ''
          for await (const { part } of requests)
            if (part.case === 'file') name = part.value.filename
            else if (part.case === 'data') text += Buffer.from(part.value).toString('utf8')
          await this.receive(name, text, principal(call).tenant)
          this.files.set(name, this.files.get(name) ?? text)
          return { id: name }
        },
        keepTaskFile: async () => ({ kept: true }),
      })
    }, transport)
    return transport
  }
}
