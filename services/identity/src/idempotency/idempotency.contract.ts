/** What every database must keep of idempotency keys. */
import assert from 'node:assert/strict'
import { after, before, describe, it, mock } from 'node:test'
import { parseId } from '@millhand/api'
import { begun, open, textOf } from './idempotency.fixture.ts'
import type { IdempotencyRecords } from './idempotency-record.ts'

export interface Opened {
  readonly records: IdempotencyRecords
  close(): Promise<void>
}

const LEASE_MS = 10_000
const DAY_MS = 86_400_000

export function describeIdempotency(name: string, openRecords: () => Promise<Opened>): void {
  describe(`idempotency keys on ${name}`, () => {
    let opened: Opened
    let keys = 0
    before(async () => {
      opened = await openRecords()
    })
    after(() => opened.close())
    const start = () => {
      const { asks, clock, service } = open(opened.records)
      const key = `key ${++keys}`
      const sweep = async (times = 1) => {
        const ending = new AbortController()
        let slept = 0
        const sleep = mock.method(clock, 'sleep', async (ms: number) => {
          await clock.advance(ms)
          if (++slept === times) ending.abort()
        })
        await service.run(ending.signal)
        sleep.mock.restore()
      }
      return { clock, sweep, key, asks: (account?: string) => asks(key, account), ...asks(key) }
    }

    it('begins an operation once, for one of all who ask at once', async () => {
      const { reserve } = start()
      const outcomes = await Promise.all(Array.from({ length: 8 }, (_, n) => reserve(`holder ${n}`)))
      const [first, ...others] = outcomes.filter(outcome => outcome.case === 'begun')
      assert.ok(first?.case === 'begun' && others.length === 0)
      assert.ok(parseId('task', `task_${first.value.id}`))
      assert.equal(first.value.leaseMs, LEASE_MS)
      assert.equal(outcomes.filter(({ case: outcome }) => outcome === 'runningMs').length, 7)
    })

    it('gives the answer to everybody from then on, and to who stores another one later', async () => {
      const { reserve, complete } = start()
      const operation = begun(await reserve('a'))
      assert.equal(await complete('a', operation, 'made'), 'made')
      assert.equal(await complete('a', operation, 'made'), 'made')
      assert.equal(await complete('b', operation, 'made again'), 'made')
      const outcome = await reserve('c')
      assert.ok(outcome.case === 'answered')
      const { status, headers, body, objectId, secret } = outcome.value
      assert.deepEqual(
        { status, headers, body: Buffer.from(body).toString(), objectId, secret },
        { status: 201, headers: ['Location', '/x'], body: 'made', objectId: 'x', secret: false },
      )
    })

    it('tells another request with the same key, while it runs and after', async () => {
      const { reserve, complete } = start()
      const operation = begun(await reserve('a', 'this'))
      assert.equal((await reserve('b', 'that')).case, 'mismatch')
      await complete('a', operation, 'made')
      assert.equal((await reserve('b', 'that')).case, 'mismatch')
      assert.equal((await reserve('b', 'this')).case, 'answered')
    })

    it('says the same to a holder that asks again, since its first answer may be lost', async () => {
      const { reserve } = start()
      const operation = begun(await reserve('a'))
      assert.equal(begun(await reserve('a')), operation)
    })

    it('waits for a holder as long as it renews, and for a dead one to the end of its lease', async () => {
      const { reserve, renew, complete, clock } = start()
      const operation = begun(await reserve('dead'))
      for (let n = 0; n < 20; n++) {
        await clock.advance(LEASE_MS - 1)
        assert.ok(await renew('dead'))
      }
      await clock.advance(LEASE_MS - 1)
      assert.deepEqual(await reserve('b'), { case: 'runningMs', value: 1 })
      await clock.advance(1)
      assert.equal(begun(await reserve('b')), operation)
      assert.equal(await renew('dead'), false)
      assert.equal(await complete('dead', operation, 'late'), undefined)
      assert.equal(await complete('b', operation, 'made'), 'made')
      assert.equal(await complete('dead', operation, 'late'), 'made')
    })

    it('goes on with what was let go, at once and as the same operation', async () => {
      const { reserve, release, renew } = start()
      const operation = begun(await reserve('a'))
      await release('b')
      assert.equal((await reserve('b')).case, 'runningMs')
      await release('a')
      await release('a')
      assert.equal(await renew('a'), false)
      assert.equal((await reserve('b', 'another')).case, 'mismatch')
      assert.equal(begun(await reserve('b')), operation)
    })

    it('takes an answer away, and who sends the same goes on with the operation', async () => {
      const { reserve, complete, reopen, release, asks } = start()
      const operation = begun(await reserve('a', 'this'))
      await complete('a', operation, 'made')
      await asks('acct_2').reopen(operation)
      assert.equal((await reserve('b', 'this')).case, 'answered')
      await reopen(operation)
      const [kept] = await opened.records.find('by_operation', { equals: ['acct_1/live', operation], limit: 2 })
      assert.ok(!JSON.stringify(kept).includes(Buffer.from('made').toString('base64')))
      assert.equal((await reserve('b', 'that')).case, 'mismatch')
      assert.equal(begun(await reserve('b', 'this')), operation)
      await release('b', true)
      assert.equal(begun(await reserve('c', 'this')), operation, 'what was made is not forgotten')
      assert.equal(await complete('c', operation, 'less'), 'less')
    })

    it('takes an answer away before it is stored: who was at it may have seen what is gone', async () => {
      const { reserve, complete, renew, reopen } = start()
      const operation = begun(await reserve('a'))
      await reopen(operation)
      assert.equal(await renew('a'), false)
      assert.equal(await complete('a', operation, 'made'), undefined)
      assert.equal(begun(await reserve('b')), operation)
      await reopen('01jd7x8f2wfyqs3m6k9v0t4b5c')
    })

    it('forgets what came to nothing, unless somebody was at it before', async () => {
      const { reserve, release, clock } = start()
      const operation = begun(await reserve('a', 'this'))
      await release('a', true)
      const other = begun(await reserve('b', 'that'))
      assert.notEqual(other, operation)
      await clock.advance(LEASE_MS)
      assert.equal(begun(await reserve('c', 'that')), other)
      await release('c', true)
      assert.equal(begun(await reserve('d', 'that')), other)
    })

    it('keeps an answer for a day, and knows nothing of it then', async () => {
      const { reserve, complete, clock } = start()
      const operation = begun(await reserve('a', 'this'))
      await complete('a', operation, 'made')
      await clock.advance(DAY_MS - 1)
      assert.equal((await reserve('b', 'this')).case, 'answered')
      await clock.advance(1)
      const later = begun(await reserve('b', 'that'))
      assert.notEqual(later, operation)
      assert.equal(await complete('b', later, 'another'), 'another')
      assert.equal(await complete('a', operation, 'late'), undefined)
    })

    it('removes what has expired, and nothing else', async () => {
      const { sweep, reserve, complete, clock, key, asks } = start()
      await complete('a', begun(await reserve('a')), 'made')
      await clock.advance(DAY_MS / 2)
      const young = asks('acct_2')
      await young.complete('a', begun(await young.reserve('a')), 'made too')
      await clock.advance(DAY_MS / 2 + 1)
      await asks('acct_3').reserve('a')
      await sweep()
      assert.equal(await opened.records.get('acct_1/live', Buffer.from(key.padEnd(32)).toString('hex')), undefined)
      const outcome = await young.reserve('b')
      assert.equal(outcome.case === 'answered' && textOf(outcome.value), 'made too')
    })

    it('removes the last that were written too, within two minutes of their day', async () => {
      // Of other tests newer records may be there: none is newer than the last.
      for (const { tenant, id, version } of await opened.records.find('due', { equals: [], limit: 200 }))
        await opened.records.write({ kind: 'remove', version, tenant, id, events: [] })
      const { sweep, reserve, complete, clock, key, asks } = start()
      await complete('a', begun(await reserve('a')), 'made')
      await asks('acct_2').reserve('a')
      await clock.advance(DAY_MS - 2 * 60_000)
      const kept = async () => {
        const id = Buffer.from(key.padEnd(32)).toString('hex')
        const found = await Promise.all(['acct_1', 'acct_2'].map(account => opened.records.get(`${account}/live`, id)))
        return found.filter(record => record !== undefined).length
      }
      await sweep(2)
      assert.equal(await kept(), 2)
      await sweep(2)
      assert.equal(await kept(), 0)
    })

    it('forgets nothing by a clock that runs ahead of all that is written', async () => {
      const { sweep, reserve, complete, clock } = start()
      clock.step(10 * DAY_MS)
      await complete('a', begun(await reserve('a')), 'made')
      clock.step(DAY_MS + 1)
      await sweep()
      clock.step(-DAY_MS)
      assert.equal((await reserve('b')).case, 'answered')
    })

    it('keeps accounts apart', async () => {
      const { reserve, asks } = start()
      const other = asks('acct_2')
      assert.notEqual(begun(await reserve('a', 'this')), begun(await other.reserve('a', 'that')))
    })
  })
}
