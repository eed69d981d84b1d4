/** The day's quota of workforce tasks, with identity and workforce as they are, on a clock that the test sets. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type Client, createClient, createContextValues } from '@connectrpc/connect'
import { codeOf, createCursors, createIds, type Id, retryAfterOf } from '@millhand/api'
import { WorkforceUsageService } from '@millhand/api/gen/millhand/billing/v1/workforce_usage_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import { QuotaService } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import { WorkforceService } from '@millhand/api/gen/millhand/workforce/v1/workforce_service_pb.ts'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { createIdentityService, identityCollections } from '@millhand/identity'
import { onlyReplica } from '@millhand/lease'
import { loadPlans } from '@millhand/plans'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import { type ManualClock, manualClock } from '@millhand/runner'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { createWorkforceService } from '@millhand/workforce'

const MIDNIGHT = Date.UTC(2026, 10, 22)
const AT_ONCE = 50

describe('the day’s quota', () => {
  let folder: string
  let db: SqliteDatabase
  let clock: ManualClock
  let quota: Client<typeof QuotaService>
  let workforce: Client<typeof WorkforceService>
  let service: ReturnType<typeof createWorkforceService>

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-quota-'))
    db = openSqlite({ file: join(folder, 'millhand.db') })
    clock = manualClock(MIDNIGHT - 60_000)
    const log = createLog({ level: 'error' })
    const plans = loadPlans()
    const cursors = createCursors(new Uint8Array(32))
    const transport = createDirectTransport()
    const identity = createIdentityService({
      ...identityCollections(db),
      ...{ plans, cursors, log, replicas: onlyReplica },
      clock: { ...clock, sleep: async () => {} }, // Between tries nobody sets the clock.
      keySecret: Buffer.alloc(32, 2),
    })
    serve(identity.routes, transport)
    quota = createClient(QuotaService, transport)
    service = createWorkforceService({
      ...{ db, plans, cursors, clock, log, quota, replicas: onlyReplica, languageModel: false },
      blobs: await filesystemBlobs(join(folder, 'blobs')),
      files: createClient(FileService, transport),
      taskFiles: createClient(TaskFileService, transport),
      usage: createClient(WorkforceUsageService, transport),
      targetFault: () => undefined,
      streamTokenSecret: new Uint8Array(32),
      onRing: () => {},
      retentionMs: 86_400_000,
      pricePerSecondMicros: 20,
    })
    serve(service.routes, transport)
    workforce = createClient(WorkforceService, transport)
  })
  afterEach(async () => {
    await db.close()
    await rm(folder, { recursive: true })
  })

  const as = (plan: string, account = 'acct_1') => ({
    contextValues: createContextValues().set(principalKey, {
      accountId: account,
      mode: 'live',
      tenant: `${account}/live`,
      scopes: new Set(['*']),
      keyId: 'key_1',
      plans: { compute: 'enterprise', developer: 'enterprise', workforce: plan },
    }),
  })
  const create = (plan: string) =>
    workforce.createWorkforceTask(
      { employee: 'emma', task: 'sentiment_analysis', input: { texts: ['Good.'] } },
      as(plan),
    )

  /** So many creates, some dozens of them at once: how many were accepted, and what the others were told. */
  async function createAll(plan: string, count: number) {
    const told: unknown[] = []
    let accepted = 0
    let started = 0
    const one = async () => {
      while (started++ < count)
        await create(plan).then(
          () => void accepted++,
          (error: unknown) => void told.push(error),
        )
    }
    await Promise.all(Array.from({ length: AT_ONCE }, one))
    return { accepted, told }
  }

  for (const [plan, limit] of [
    ['starter', 100],
    ['professional', 500],
    ['enterprise', 2_000],
  ] as const) {
    it(`of ${plan} lets in ${limit} and not one more, however many ask at once, and again after midnight`, async () => {
      const ids = createIds({ now: () => clock.now() })
      for (let taken = 0; taken < limit - AT_ONCE; taken++) await quota.takeDaily({ id: ids('wtask') }, as(plan))
      const before = await createAll(plan, 2 * AT_ONCE)
      assert.equal(before.accepted, AT_ONCE)
      assert.equal(before.told.length, AT_ONCE)
      for (const error of before.told) {
        assert.equal(codeOf(error), 'daily_quota_exceeded')
        assert.equal(retryAfterOf(error), 60)
      }
      await clock.advance(60_000)
      assert.equal((await createAll(plan, AT_ONCE)).accepted, AT_ONCE)
    })
  }

  it('is given back where a task never came, and only there', async () => {
    const { id } = await create('starter')
    const lost = `wtask_${id.slice('wtask_'.length, -4)}0000` as Id
    await quota.takeDaily({ id: lost }, as('starter'))
    await quota.takeDaily({ id: lost }, as('starter', 'acct_2'))
    const used = async (account: string) => (await quota.getDaily({ day: '2026-11-21' }, as('starter', account))).used
    assert.deepEqual([await used('acct_1'), await used('acct_2')], [2, 1])

    const ending = new AbortController()
    const running = service.run(ending.signal)
    const minutes = async (count: number) => {
      for (let minute = 0; minute < count; minute++) {
        await clock.advance(60_000)
        for (let turn = 0; turn < 500; turn++) await new Promise(resolve => setImmediate(resolve))
      }
    }
    await minutes(3)
    assert.deepEqual([await used('acct_1'), await used('acct_2')], [2, 1], 'its create may still be under way')
    await minutes(5)
    assert.deepEqual([await used('acct_1'), await used('acct_2')], [1, 0])
    ending.abort()
    await running
  })

  it('takes no place for what is refused, and none twice', async () => {
    const refused = workforce.createWorkforceTask({ employee: 'emma', task: 'nothing' }, as('starter'))
    await assert.rejects(refused)
    assert.equal((await quota.getDaily({}, as('starter'))).used, 0)
  })
})
