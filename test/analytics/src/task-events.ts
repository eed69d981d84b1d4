/** Events of tasks as compute makes them: the real service on a real store, with a test in the place of executors. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient, createContextValues } from '@connectrpc/connect'
import { createCursors } from '@millhand/api'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { computeOn } from '@millhand/compute/compute-on-database'
import { publicTopics } from '@millhand/eventlog/public-topics'
import { sqliteEventLog } from '@millhand/eventlog/sqlite'
import { singleReplica } from '@millhand/lease'
import type { Catalogue } from '@millhand/model'
import { textModel } from '@millhand/model/fixture'
import { loadPlans } from '@millhand/plans'
import { manualClock } from '@millhand/process'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import type { OutboxEvent } from '@millhand/store'
import { openSqlite } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { temporaryFolder } from '@millhand/test-e2e/server'

const largest = 64 * 1024

/** Every type of event that a task can cause, in the order in which they were made; one has an output too large. */
export async function everyTaskEvent(): Promise<readonly OutboxEvent[]> {
  const folder = temporaryFolder('millhand-analytics-')
  const clock = manualClock(Date.UTC(2026, 10, 21, 7, 30))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  const { compute: service } = computeOn(db, {
    blobs: await filesystemBlobs(join(folder, 'blobs')),
    textGeneration: { fault: undefined },
    models: { get: id => (id === digits.id ? digits : undefined), list: () => [digits] } satisfies Catalogue,
    plans: loadPlans(),
    cursors: createCursors(new Uint8Array(32)),
    targetFault: () => undefined,
    streamTokenSecret: new Uint8Array(32),
    clock,
    log: createLog({ level: 'error' }),
    quotaBytes: 2 ** 30,
    replicas: singleReplica,
    onRing: () => {},
    retentionMs: 86_400_000,
  })
  const transport = createDirectTransport()
  serve(service.routes, transport)
  const ending = new AbortController()
  const running = service.run(ending.signal)

  const compute = createClient(ComputeService, transport)
  const leases = createClient(LeaseService, transport)
  const create = (more: object = {}) =>
    compute.createTask({ type: TaskType.INFERENCE, model: digits.id, input: 'a', metadata: { day: '7' }, ...more }, as)
  const claim = async () => {
    const { runs } = await leases.claim({ executorId: 'exec_a', pool: 'live/onnx', runs: 1, waitMs: 0 })
    const [lease] = runs.flatMap(run => run.leases)
    if (lease === undefined) throw new Error('nothing was claimed')
    return lease
  }
  const finish = async ({ id, tenant, workId, attempt }: Awaited<ReturnType<typeof claim>>, outcome: object) => {
    const result = { leaseId: id, tenant, workId, attempt, computeMs: 5, engineKind: 'onnx', provider: 'cpu', outcome }
    const { accepted } = await leases.finish({ executorId: 'exec_a', results: [result as never] })
    if (accepted[0] !== true) throw new Error('the result was refused')
  }
  const failure = (retryable: boolean) => ({
    case: 'failure',
    value: { code: 'model_failed', message: 'It failed.', retryable },
  })

  const queued = await create()
  await compute.cancelTask({ id: queued.id }, as)
  for (const outcome of [
    { case: 'output', value: '{"digit":7}' },
    { case: 'output', value: JSON.stringify('x'.repeat(largest)) },
    failure(false),
    failure(true),
  ]) {
    await create()
    await finish(await claim(), outcome)
  }
  const cancelled = await create({ maxAttempts: 1 })
  const lease = await claim()
  await compute.cancelTask({ id: cancelled.id }, as)
  await finish(lease, { case: 'cancelled', value: true })
  await create({ queueTimeoutS: 1 })

  const events: OutboxEvent[] = []
  const tail = sqliteEventLog(db).tail([publicTopics.tasks.name], 'beginning', ending.signal)
  void clock.advance(2_000)
  for await (const batch of tail) {
    events.push(...batch.map(({ position: _, ...event }) => event))
    if (events.some(({ type }) => type === 'task.expired')) break
  }
  ending.abort()
  await running
  await db.close()
  await rm(folder, { recursive: true })
  return events
}

const as = {
  contextValues: createContextValues().set(principalKey, {
    accountId: 'acct_01kaje5z1cf6tvnyxkkhbm3v8h',
    mode: 'live',
    tenant: 'acct_01kaje5z1cf6tvnyxkkhbm3v8h/live',
    scopes: new Set(['*']),
    keyId: 'key_a',
    plans: { compute: 'enterprise', developer: 'enterprise', workforce: 'enterprise' },
  }),
}

const digits = textModel('digits')
