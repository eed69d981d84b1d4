/** What a run emits is stored once, in order, and while its lease is the live one, whatever fails in between. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { as, create } from '../replicas.fixture.ts'
import { emit, failsWith, finish, givenStreams, lend, type Opened, once, read, readAll } from './streams.fixture.ts'

export function describeEmit(name: string, open: (folder: string) => Promise<Opened>): void {
  describe(`what runs emit, on ${name}`, () => {
    const on = givenStreams(open)
    const outputs = async (id: string) =>
      (await readAll(on.b, id)).map(([, what]) => what).filter(what => what.startsWith('"'))
    const lost = async () => {
      throw new Error('the answer was lost')
    }

    it('is refused from a stale lease and a stale attempt, and leaves nothing', async () => {
      await create(on.a)
      const stale = await lend(on.a)
      await finish(on.a, stale, 'evicted')
      const live = await lend(on.a)
      assert.equal(await emit(on.b, stale, 'late'), 'refused')
      assert.equal(await emit(on.a, { ...live, id: stale.id }, 'late'), 'refused')
      assert.equal(await emit(on.a, { ...live, workId: 'wtask_none' }, 'late'), 'refused')
      assert.deepEqual(await on.emissions(), [])
    })

    it('is stored once though it is sent again, also when more came after it', async () => {
      const { id } = await create(on.a)
      const run = await lend(on.a)
      const batches = [['one', 'two'], ['three']] as const
      for (const [sent, texts] of batches.entries()) {
        for (const at of [on.a, on.b]) assert.equal(await emit(at, { ...run, from: sent * 2 }, ...texts), 'stored')
      }
      assert.equal(await emit(on.a, { ...run, from: 0 }, 'one', 'two'), 'stored')
      assert.equal(await emit(on.a, { ...run, from: 4 }, 'five'), 'refused')
      await finish(on.a, run, 'succeeded')
      assert.deepEqual(await outputs(id), ['"one"', '"two"', '"three"'])
    })

    it('is stored once though the same is under way twice', async () => {
      const { id } = await create(on.a)
      const run = await lend(on.a)
      let again: string | undefined
      once(on.onEmissions, 'after', 'insert', async () => {
        again = await emit(on.b, { ...run }, 'one')
      })
      assert.equal(await emit(on.a, run, 'one'), 'stored')
      assert.equal(again, 'stored')
      await finish(on.a, run, 'succeeded')
      assert.deepEqual(await outputs(id), ['"one"'])
    })

    for (const more of [[], ['two']]) {
      it(`stays where it stood still, was sent again and the run has ended, with ${more.length} more behind it`, async () => {
        const { id } = await create(on.a)
        const run = await lend(on.a)
        once(on.onEmissions, 'after', 'insert', async () => {
          const again = { ...run }
          for (const text of ['one', ...more]) assert.equal(await emit(on.b, again, text), 'stored')
          await finish(on.a, again, 'succeeded')
        })
        assert.equal(await emit(on.a, run, 'one'), 'stored')
        assert.deepEqual(
          await outputs(id),
          ['one', ...more].map(text => JSON.stringify(text)),
        )
      })
    }

    for (const gone of [0, 1, 2]) {
      it(`is told up to where it was removed and no further: ${gone} of 3`, async () => {
        const { id } = await create(on.a)
        const run = await lend(on.a)
        for (const text of ['one', 'two', 'three']) await emit(on.a, run, text)
        await finish(on.a, run, 'succeeded')
        const { tenant, id: batch } = (await on.emissions())[gone] ?? assert.fail()
        await on.stores.emissions.write({ kind: 'remove', version: 1, tenant, id: batch, events: [] })
        const reader = read(on.a, id)
        await failsWith('not_found', reader.ended)
        assert.equal(reader.events.length, 2 + gone)
      })
    }

    for (const write of ['its batch', 'its count'] as const) {
      it(`is stored once, and told, though the answer about ${write} was lost`, async () => {
        const { id } = await create(on.a)
        const run = await lend(on.a)
        const reader = read(on.a, id)
        await reader.has(2)
        if (write === 'its batch') once(on.onEmissions, 'after', 'insert', lost)
        else once(on.onTasks, 'after', 'replace', lost)
        await assert.rejects(emit(on.a, run, 'one'))
        assert.equal(reader.events.length, 2)
        assert.equal(await emit(on.b, run, 'one'), 'stored')
        await reader.has(3)
        assert.equal(await emit(on.a, run, 'two'), 'stored')
        await finish(on.a, run, 'succeeded')
        await reader.ended
        assert.deepEqual(await outputs(id), ['"one"', '"two"'])
      })
    }

    it('is told by the next owner where the queues are handed over while it is stored', async () => {
      const { id } = await create(on.a)
      const run = await lend(on.a)
      let reader: ReturnType<typeof read> | undefined
      once(on.onTasks, 'before', 'replace', async () => {
        await on.handOver(on.a, on.b)
        reader = read(on.b, id)
        await reader.has(2)
      })
      await failsWith('unavailable', emit(on.a, run, 'one'))
      assert.equal(await emit(on.a, run, 'one'), 'stored')
      await reader?.has(3)
      await finish(on.a, run, 'succeeded')
      assert.deepEqual(await outputs(id), ['"one"'])
    })

    it('is no part of the stream where a cancel at another replica came first, and leaves nothing', async () => {
      const { id } = await create(on.a)
      const run = await lend(on.a)
      assert.equal(await emit(on.a, run, 'one'), 'stored')
      const reader = read(on.a, id)
      once(on.onEmissions, 'after', 'insert', () => on.b.tasks.cancelTask({ id }, as))
      assert.equal(await emit(on.a, run, 'two'), 'refused')
      assert.equal((await on.emissions()).length, 1)
      await finish(on.a, run, 'cancelled')
      await reader.ended
      assert.deepEqual(await readAll(on.b, id), [
        ['1.0', 'queued', 0],
        ['2.0', 'started', 1],
        ['2.1', '"one"', 1],
        ['3.0', 'cancelling', 1],
        ['4.0', 'cancelled', 1],
      ])
      assert.equal(reader.events.length, 5)
    })

    it('is not shown where it was never counted, also when a later run goes on', async () => {
      const { id } = await create(on.a)
      const first = await lend(on.a)
      assert.equal(await emit(on.a, first, 'one'), 'stored')
      once(on.onEmissions, 'after', 'insert', lost)
      await assert.rejects(emit(on.a, first, 'two'))
      await finish(on.a, first, 'evicted')
      const second = await lend(on.a)
      assert.equal(await emit(on.a, second, 'three'), 'stored')
      await finish(on.a, second, 'succeeded')
      assert.equal((await on.emissions()).length, 3)
      assert.deepEqual(await outputs(id), ['"one"', '"three"'])
    })

    it('is at most 64 KiB in a call, or one thing alone', async () => {
      const { id } = await create(on.a)
      const run = await lend(on.a)
      const large = 'x'.repeat(65_534)
      await failsWith('payload_too_large', emit(on.a, run, large, 'x'))
      assert.equal(await emit(on.a, run, large), 'stored')
      await finish(on.a, run, 'succeeded')
      assert.deepEqual(await outputs(id), [JSON.stringify(large)])
    })

    it('is at most 64 MiB for a task, and leaves nothing beyond', async () => {
      const { id } = await create(on.a)
      const run = await lend(on.a)
      const { version, ...task } = (await on.stores.tasks.get('acct_a/live', id)) ?? assert.fail()
      const document = { ...task, emitted_bytes: 64 * 1024 * 1024 - 4 }
      await on.stores.tasks.write({ kind: 'replace', version, document, events: [] })
      assert.equal(await emit(on.a, run, 'xxx'), 'full')
      assert.deepEqual(await on.emissions(), [])
      assert.equal(await emit(on.a, run, 'xx'), 'stored')
      assert.equal(await emit(on.a, run, ''), 'full')
    })

    it('goes with the task’s data, counted or not, however often that has to be begun', async () => {
      const { id } = await create(on.a)
      const run = await lend(on.a)
      for (let n = 0; n < 10; n++) await emit(on.a, run, `${n}`)
      once(on.onEmissions, 'after', 'insert', lost)
      await assert.rejects(emit(on.a, run, 'not counted'))
      const slow = on.a.tasks.watchTask({ id }, as)[Symbol.asyncIterator]()
      for (let told = 0; told < 4; told++) await slow.next()
      await finish(on.a, run, 'succeeded')
      once(on.onEmissions, 'before', 'remove', lost)
      await assert.rejects(on.b.tasks.deleteTaskData({ id }, as))
      assert.ok((await on.emissions()).length > 0)
      await on.b.tasks.deleteTaskData({ id }, as)
      assert.deepEqual(await on.emissions(), [])
      assert.deepEqual(
        (await readAll(on.b, id)).map(([, what]) => what),
        ['queued', 'started', 'succeeded'],
      )
      const rest = async () => {
        for (let last = await slow.next(); !last.done; ) last = await slow.next()
      }
      await failsWith('not_found', rest())
    })

    it('leaves nothing where the task’s data went while it came', async () => {
      const { id } = await create(on.a)
      const run = await lend(on.a)
      once(on.onEmissions, 'before', 'insert', async () => {
        await finish(on.a, run, 'succeeded')
        await on.b.tasks.deleteTaskData({ id }, as)
      })
      assert.equal(await emit(on.a, run, 'late'), 'refused')
      assert.deepEqual(await on.emissions(), [])
    })

    it('goes with the task', async () => {
      const { id } = await create(on.a)
      const run = await lend(on.a)
      await emit(on.a, run, 'one')
      await finish(on.a, run, 'succeeded')
      let isRemoved = false
      on.onTasks.after = async ({ kind }) => {
        isRemoved ||= kind === 'remove'
      }
      on.clock.step(86_400_001)
      for (; !isRemoved; await nextTurn()) await on.clock.advance(60_000) // The look before may still be under way.
      assert.deepEqual(await on.emissions(), [])
      await failsWith('not_found', read(on.a, id).ended)
    })
  })
}
