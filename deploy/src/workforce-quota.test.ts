/** The day's quota of workforce tasks, with identity and workforce as they are, on a clock that the test sets. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import type { Client, ConnectError } from '@connectrpc/connect'
import { codeOf, createIds, type Id, idTime, retryAfterOf } from '@millhand/api'
import type { QuotaService } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import type { WorkforceService } from '@millhand/api/gen/millhand/workforce/v1/workforce_service_pb.ts'
import { type ManualClock, manualClock } from '@millhand/process'
import { operationKey } from '@millhand/rpc'
import type { Database } from '@millhand/store'
import { openMongo } from '@millhand/store/mongo'
import { openSqlite } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { javaMissing, type Mongo, startMongo } from '@millhand/test-servers'
import { as, openWorkforce, type Workforce } from './workforce.fixture.ts'

const MIDNIGHT = Date.UTC(2026, 10, 22)
const AT_ONCE = 50

interface Opened extends Database {
  close(): Promise<void>
}

describe('on SQLite', () => dayQuota(async folder => openSqlite({ file: join(folder, 'millhand.db') })))

describe('on MongoDB', { skip: javaMissing }, () => {
  let server: Mongo
  before(async () => {
    server = await startMongo()
  })
  after(() => server[Symbol.asyncDispose]())
  dayQuota(async () => openMongo({ url: server.url(), log: createLog({ level: 'error' }) }))
})

function dayQuota(openDatabase: (folder: string) => Promise<Opened>): void {
  let folder: string
  let db: Opened
  let clock: ManualClock
  let opened: Workforce
  let quota: Client<typeof QuotaService>
  let workforce: Client<typeof WorkforceService>

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-quota-'))
    db = await openDatabase(folder)
    clock = manualClock(MIDNIGHT - 60_000)
    opened = await openWorkforce({ db, clock })
    quota = opened.quota
    workforce = opened.workforce
  })
  afterEach(async () => {
    await opened[Symbol.asyncDispose]()
    await db.close()
    await rm(folder, { recursive: true })
  })

  const sentiment = { employee: 'emma', task: 'sentiment_analysis', input: { texts: ['Good.'] } }
  const create = (plan: string) => workforce.createWorkforceTask(sentiment, as(plan))
  const used = async (day: string, account?: string) => (await quota.getDaily({ day }, as('starter', account))).used

  /** So many creates, some dozens of them at once: what was accepted, and what the others were told. */
  async function createAll(plan: string, count: number, onAccepted = async (_: number) => {}) {
    const told: unknown[] = []
    const accepted: Id[] = []
    let started = 0
    const one = async () => {
      while (started++ < count)
        await create(plan).then(
          async ({ id }) => onAccepted(accepted.push(id as Id)),
          (error: unknown) => void told.push(error),
        )
    }
    await Promise.all(Array.from({ length: AT_ONCE }, one))
    return { accepted, told }
  }

  /** All but so many places of the day are taken. */
  async function leave(places: number, limit: number, plan: string) {
    const ids = createIds({ now: () => clock.now() })
    const taking = Array.from({ length: limit - places }, () => quota.takeDaily({ id: ids('wtask') }, as(plan)))
    await Promise.all(taking)
  }

  for (const [plan, limit] of [
    ['starter', 100],
    ['professional', 500],
    ['enterprise', 2_000],
  ] as const) {
    describe(`the day’s quota of ${plan}`, () => {
      it(`lets in ${limit} and not one more, however many ask at once, and again after midnight`, async () => {
        await leave(AT_ONCE, limit, plan)
        const ofToday = await createAll(plan, 2 * AT_ONCE)
        assert.equal(ofToday.accepted.length, AT_ONCE)
        assert.equal(ofToday.told.length, AT_ONCE)
        for (const error of ofToday.told) {
          assert.equal(codeOf(error), 'daily_quota_exceeded')
          assert.equal(retryAfterOf(error), 60)
        }
        assert.equal(await used('2026-11-21'), limit)
        await clock.advance(60_000)
        assert.equal((await createAll(plan, AT_ONCE)).accepted.length, AT_ONCE)
        assert.equal(await used('2026-11-22'), AT_ONCE)
      })

      it('is exact while midnight passes: each task counts in the day of its making, and once', async () => {
        await leave(AT_ONCE / 2, limit, plan)
        let passing: Promise<void> | undefined
        const { accepted, told } = await createAll(plan, 4 * AT_ONCE, async count => {
          if (count === 10) passing ??= clock.advance(60_000)
          await passing
        })
        const before = accepted.filter(id => idTime(id) < MIDNIGHT)
        assert.equal(new Set(accepted).size, accepted.length)
        assert.equal(accepted.length + told.length, 4 * AT_ONCE)
        assert.equal(await used('2026-11-21'), limit - AT_ONCE / 2 + before.length)
        assert.ok(before.length <= AT_ONCE / 2, `${before.length} of ${AT_ONCE / 2}`)
        const ofTomorrow = accepted.length - before.length
        assert.equal(await used('2026-11-22'), ofTomorrow)
        assert.ok(ofTomorrow <= limit, `${ofTomorrow} of ${limit}`)
        for (const error of told) assert.equal(codeOf(error), 'daily_quota_exceeded')
        // However many were let in while it passed, the day after has no more than its own.
        const open = Math.min(AT_ONCE / 2, limit - ofTomorrow)
        await leave(open, limit - ofTomorrow, plan)
        const rest = await createAll(plan, AT_ONCE)
        assert.equal(rest.accepted.length, open)
        for (const error of rest.told) assert.equal(codeOf(error), 'daily_quota_exceeded')
        assert.equal(await used('2026-11-22'), limit)
      })
    })
  }

  describe('a place of the day', () => {
    it('is taken once, and one task made, however often an operation is sent at once', async () => {
      const operation = createIds({ now: () => clock.now() })('req').slice('req_'.length)
      const caller = as('starter')
      caller.contextValues.set(operationKey, operation)
      const sends = Array.from({ length: AT_ONCE }, () => workforce.createWorkforceTask(sentiment, caller))
      const made = await Promise.all(sends)
      assert.deepEqual([...new Set(made.map(({ id }) => id))], [`wtask_${operation}`])
      assert.equal(await used('2026-11-21'), 1)
    })

    it('is not taken for what is refused', async () => {
      const refused = workforce.createWorkforceTask({ employee: 'emma', task: 'nothing' }, as('starter'))
      await assert.rejects(refused)
      assert.equal(await used('2026-11-21'), 0)
    })

    it('is given back where a task never came, and only there', async () => {
      const { id } = await create('starter')
      const lost = `wtask_${id.slice('wtask_'.length, -4)}0000` as Id
      await quota.takeDaily({ id: lost }, as('starter'))
      await quota.takeDaily({ id: lost }, as('starter', 'acct_2'))
      const both = async () => [await used('2026-11-21'), await used('2026-11-21', 'acct_2')]
      const ending = new AbortController()
      const running = opened.service.run(ending.signal)
      const minutes = async (count: number) => {
        for (let minute = 0; minute < count; minute++) {
          await clock.advance(60_000)
          // The database has answered all that was asked before these, and more.
          for (let turn = 0; turn < 50; turn++) await both()
        }
      }
      await minutes(3)
      assert.deepEqual(await both(), [2, 1], 'its create may still be under way')
      await quota.takeDaily({ id: lost }, as('starter'))
      await minutes(4)
      assert.deepEqual(await both(), [2, 0], 'its create was repeated since')
      await minutes(4)
      assert.deepEqual(await both(), [1, 0])
      ending.abort()
      await running
    })
  })

  describe('what is left of the day', () => {
    const left = async (call: (onHeader: (header: Headers) => void) => Promise<unknown>) => {
      let told: string | null = null
      await call(header => {
        told = header.get('RateLimit')
      }).catch((error: ConnectError) => {
        told = error.metadata.get('RateLimit')
      })
      return told
    }

    it('is told with every answer, that of a refusal too', async () => {
      const list = (onHeader: (header: Headers) => void) =>
        workforce.listWorkforceTasks({ employee: 'emma' }, { ...as('starter'), onHeader })
      assert.equal(await left(list), '"workforce_daily";r=100;t=60')
      await create('starter')
      assert.equal(await left(list), '"workforce_daily";r=99;t=60')
      const nobody = (onHeader: (header: Headers) => void) =>
        workforce.getWorkforceTask({ id: 'wtask_none' }, { ...as('starter'), onHeader })
      assert.equal(await left(nobody), '"workforce_daily";r=99;t=60')
      const misspelt = () => workforce.createWorkforceTask({ employee: 'emma', task: 'nothing' }, as('starter'))
      assert.equal(await left(misspelt), '"workforce_daily";r=99;t=60')
    })
  })
}
