/** Compute with files, on stores that can be looked into, and an executor that does what a test says. */
import { after, before, beforeEach } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { CreateTaskRequestSchema } from '@millhand/api/gen/millhand/compute/v1/task_request_pb.ts'
import type { Lease, ResultSchema } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { manualClock } from '@millhand/process'
import { createDirectTransport, serve } from '@millhand/rpc'
import type { Database } from '@millhand/store'
import { plainOptions } from './compute.fixture.ts'
import { createComputeService, type TaskIndex, type TaskRecord, tasksSpec, usedByTask } from './compute.ts'
import { createFileService, fileCollections } from './files/file-service.ts'
import { as, type Stores } from './files/files.fixture.ts'

export interface OpenedDatabase {
  readonly db: Database
  readonly blobs: Stores['blobs']
  close(): Promise<void>
}

export const RETENTION_MS = 3 * 3_600_000
const QUOTA_BYTES = 2 ** 20

type Outcome = MessageInitShape<typeof ResultSchema>['outcome']

/** Open while the tests of a `describe` run; each test has an account of its own, and the queue is empty at its start. */
export function givenTaskFiles(open: () => Promise<OpenedDatabase>) {
  const clock = manualClock(Date.UTC(2026, 10, 21))
  const ending = new AbortController()
  const transport = createDirectTransport()
  const compute = createClient(ComputeService, transport)
  const leases = createClient(LeaseService, transport)
  const files = createClient(FileService, transport)
  let opened: OpenedDatabase
  let sweep: () => Promise<void>
  let running: Promise<void>
  let accounts = 0
  let afterGet: (() => Promise<unknown>) | undefined
  let isNextWriteFailing = false

  before(async () => {
    opened = await open()
    const { db, blobs } = opened
    const stored = db.collection<TaskRecord, TaskIndex>(tasksSpec)
    const tasks: typeof stored = {
      async get(tenant, id) {
        const found = await stored.get(tenant, id)
        const work = afterGet
        afterGet = undefined
        await work?.()
        return found
      },
      find: (index, query) => stored.find(index, query),
      count: (...words) => stored.count(...words),
      async write(change) {
        if (!isNextWriteFailing) return await stored.write(change)
        isNextWriteFailing = false
        throw new Error('It died.')
      },
    }
    const options = plainOptions(db)
    const fileService = createFileService({
      ...options,
      ...fileCollections(db),
      blobs,
      clock,
      quotaBytes: QUOTA_BYTES,
      usedBy: usedByTask(tasks),
    })
    const { files } = fileService
    const service = createComputeService({ ...options, tasks, files, blobs, clock, retentionMs: RETENTION_MS })
    serve(router => {
      service.routes(router)
      fileService.routes(router)
    }, transport)
    sweep = () => fileService.sweep(ending.signal)
    running = service.run(ending.signal)
  })
  after(async () => {
    ending.abort()
    await running
    await opened.close()
  })
  beforeEach(() => {
    accounts++
  })
  const account = () => `acct_t${accounts}`

  const run = ({ id: leaseId, tenant, workId, attempt }: Lease) => ({ leaseId, tenant, workId, attempt })

  /** Undefined where there is none now. */
  async function claimed(pool: string): Promise<Lease | undefined> {
    const { runs } = await leases.claim({ executorId: 'exec_a', pool, runs: 1, waitMs: 0 })
    return runs.flatMap(each => each.leases)[0]
  }

  return {
    clock,
    compute,
    leases,
    files,
    run,
    get caller() {
      return as(account())
    },
    get stranger() {
      return as(`${account()}x`)
    },
    sweep: () => sweep(),
    /** Does this once a task was read next, and before that is told. */
    afterGet(work: () => Promise<unknown>): void {
      afterGet = work
    },

    /** The next change of a task comes to nothing, as if its replica had died just before. */
    failNextWrite(): void {
      isNextWriteFailing = true
    },

    /** Whether that is still to come. */
    isNextWriteFailing: () => isNextWriteFailing,

    async upload(text: string, description: object = {}, by = as(account())): Promise<string> {
      const parts = [
        { part: { case: 'description' as const, value: description } },
        { part: { case: 'data' as const, value: Buffer.from(text) } },
      ]
      return (await files.uploadFile(each(parts), by)).id
    },
    /** Undefined where there is no such file. */
    async content(id: string, by = as(account())): Promise<string | undefined> {
      const bytes: Uint8Array[] = []
      try {
        for await (const { part } of files.getFileContent({ id }, by)) if (part.case === 'data') bytes.push(part.value)
      } catch {
        return undefined
      }
      return Buffer.concat(bytes).toString()
    },
    create: (request: MessageInitShape<typeof CreateTaskRequestSchema>, by = as(account())) =>
      compute.createTask({ type: TaskType.INFERENCE, model: 'echo', ...request }, by),
    get: (id: string, by = as(account())) => compute.getTask({ id }, by),
    claimed,
    /** The one lease that there is to have: its task may come into the pool a moment after its create was answered. */
    async claim(pool = 'live/onnx'): Promise<Lease> {
      for (const limit = AbortSignal.timeout(60_000); ; ) {
        const lease = await claimed(pool)
        if (lease !== undefined) return lease
        limit.throwIfAborted()
        await pause(5)
      }
    },
    async readInput(lease: Lease): Promise<string> {
      const bytes: Uint8Array[] = []
      for await (const { data } of leases.readInput({ run: run(lease) })) bytes.push(data)
      return Buffer.concat(bytes).toString()
    },
    async storeOutput(lease: Lease, ...texts: readonly string[]): Promise<string> {
      const data = texts.map(text => ({ part: { case: 'data' as const, value: Buffer.from(text) } }))
      const { fileId } = await leases.storeOutput(
        each([{ part: { case: 'run' as const, value: run(lease) } }, ...data]),
      )
      return fileId
    },
    /** Keeps results of lines, of which none failed. */
    async storePart(lease: Lease, first: number, ...lines: readonly string[]): Promise<void> {
      const part = { run: run(lease), first, count: lines.length, failed: 0 }
      const data = lines.map(line => ({ part: { case: 'data' as const, value: Buffer.from(`${line}\n`) } }))
      await leases.storePart(each([{ part: { case: 'lines' as const, value: part } }, ...data]))
    },
    joinParts: async (lease: Lease): Promise<string> => (await leases.joinParts({ run: run(lease) })).fileId,
    /** The names of blobs that begin so. */
    async blobsAt(prefix: string): Promise<string[]> {
      const keys: string[] = []
      for await (const { key } of opened.blobs.list(prefix)) keys.push(key)
      return keys.sort()
    },
    /** Whether the result was accepted. */
    async finish(
      lease: Lease,
      outcome: Outcome,
      more: { readonly items?: number; readonly partialOutputFile?: string } = {},
      pool = 'live/onnx',
    ): Promise<boolean> {
      const { accepted } = await leases.finish({
        executorId: 'exec_a',
        pool,
        results: [{ ...run(lease), ...more, outcome: outcome as never, computeMs: 5 }],
      })
      return accepted[0] === true
    },
  }
}

async function* each<T>(parts: readonly T[]) {
  yield* parts
}
