/** What readers of a task's stream are promised, whatever the store. docs/decisions/task-streams.md. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { as, create } from '../replicas.fixture.ts'
import {
  brief,
  emit,
  failsWith,
  finish,
  givenStreams,
  lend,
  type Opened,
  once,
  read,
  readAll,
} from './streams.fixture.ts'

export function describeStreams(name: string, open: (folder: string) => Promise<Opened>): void {
  describe(`streams of tasks, on ${name}`, () => {
    const on = givenStreams(open)

    /** A task with a run that was evicted and one that succeeded, and all that its stream tells. */
    async function lived(): Promise<string> {
      const { id } = await create(on.b)
      const first = await lend(on.a)
      await emit(on.b, first, 'one', 'two')
      await emit(on.a, first, 'three')
      await finish(on.b, first, 'evicted')
      const second = await lend(on.b)
      await emit(on.a, second, 'one')
      await emit(on.b, second, 'two', 'three', 'four')
      await finish(on.a, second, 'succeeded')
      return id
    }
    const all = [
      ['1.0', 'queued', 0],
      ['2.0', 'started', 1],
      ['2.1', '"one"', 1],
      ['2.2', '"two"', 1],
      ['2.3', '"three"', 1],
      ['3.0', 'retrying', 1],
      ['4.0', 'started', 2],
      ['4.1', '"one"', 2],
      ['4.2', '"two"', 2],
      ['4.3', '"three"', 2],
      ['4.4', '"four"', 2],
      ['5.0', 'succeeded', 2],
    ]

    it('have the same for who was there from the beginning and who comes at the end, at any replica', async () => {
      const { id } = await create(on.a)
      const readers = [read(on.a, id), read(on.b, id), read(on.a, id), read(on.b, id)]
      await Promise.all(readers.map(reader => reader.has(1)))
      const run = await lend(on.a)
      await emit(on.b, run, 'one', 'two')
      await emit(on.a, run, 'three')
      await Promise.all(readers.map(reader => reader.has(5)))
      await finish(on.a, run, 'evicted')
      const again = await lend(on.a)
      await emit(on.a, again, 'one')
      await emit(on.b, again, 'two', 'three', 'four')
      await finish(on.b, again, 'succeeded')
      for (const reader of readers) {
        await reader.ended
        assert.deepEqual(reader.events.map(brief), all)
      }
      for (const at of [on.a, on.b]) assert.deepEqual(await readAll(at, id), all)
    })

    it('give from every place what comes after it', async () => {
      const id = await lived()
      for (let told = 0; told <= all.length; told++) {
        const [version, n] = (all[told - 1]?.[0] as string | undefined)?.split('.').map(BigInt) ?? [0n, 0n]
        assert.deepEqual(await readAll(on.b, id, ((version as bigint) << 20n) + (n as bigint)), all.slice(told))
      }
      assert.deepEqual(await readAll(on.a, id, 2n ** 53n - 1n), [])
    })

    it('say when, why a run is tried again, how far it is and how the task ended', async () => {
      const { id } = await create(on.a)
      const first = await lend(on.a)
      await on.clock.advance(250)
      const { id: leaseId, tenant, workId, attempt } = first
      const value = { fraction: 0.5, message: 'halfway', metrics: { loss: 0.25 } }
      const emissions = [
        { content: { case: 'log' as const, value: 'a line' } },
        { content: { case: 'progress' as const, value } },
      ]
      await on.a.leases.emit({ executorId: 'exec_a', runs: [{ leaseId, tenant, workId, attempt, emissions }] })
      const { progress } = await on.b.tasks.getTask({ id }, as)
      assert.deepEqual({ ...progress, $typeName: '' }, { ...value, $typeName: '' })
      await finish(on.a, first, 'evicted')
      await finish(on.a, await lend(on.a), 'succeeded')

      const reader = read(on.b, id)
      await reader.ended
      const told = new Map(reader.events.map(event => [event.type, event]))
      assert.equal(told.get('errand.log')?.log, 'a line')
      assert.deepEqual({ ...told.get('errand.progress')?.progress, $typeName: '' }, { ...value, $typeName: '' })
      assert.equal(told.get('errand.retrying')?.error?.code, 'evicted')
      const { createdAt: queuedAt } = told.get('errand.queued') ?? {}
      assert.equal(told.get('errand.log')?.createdAt?.nanos, (queuedAt?.nanos ?? 0) + 250_000_000)
      const { input, ...shown } = await on.b.tasks.getTask({ id }, as)
      assert.equal(input, 'hello')
      assert.deepEqual(told.get('errand.succeeded')?.task, shown)
      for (const { taskId, createdAt } of reader.events) assert.ok(taskId === id && createdAt)
    })

    it('hold one page for who reads slowly', async () => {
      const { id } = await create(on.a)
      const run = await lend(on.a)
      for (let n = 0; n < 20; n++) await emit(on.a, run, `${n}`)
      on.pages.length = 0
      const events = on.a.tasks.watchTask({ id }, as)[Symbol.asyncIterator]()
      for (let told = 0; told < 3; told++) await events.next()
      assert.deepEqual(on.pages, [8])
      for (let told = 3; told < 11; told++) await events.next()
      assert.deepEqual(on.pages, [8, 8])
      await events.return?.()
    })

    it('are unknown where the task is, or another’s', async () => {
      const { id } = await create(on.a)
      for (const at of [on.a, on.b]) {
        await failsWith('not_found', read(at, 'wtask_01jd7x8f2wfyqs3m6k9v0t4b5c').ended)
        await failsWith('not_found', read(at, id, 0n, 'acct_b').ended)
      }
    })

    it('fail as unavailable without an owner, where the owner changes, and where the replica stops', async () => {
      const { id } = await create(on.a)
      const waiting = [read(on.a, id), read(on.b, id)]
      await Promise.all(waiting.map(reader => reader.has(1)))
      await on.a.disown()
      for (const { ended } of [...waiting, read(on.a, id), read(on.b, id)]) await failsWith('unavailable', ended)
      on.b.own()
      const stopped = [read(on.a, id), read(on.b, id)]
      await Promise.all(stopped.map(reader => reader.has(1)))
      for (const [n, at] of [on.a, on.b].entries()) {
        at.stop()
        await failsWith('unavailable', stopped[n]?.ended ?? Promise.resolve())
        await failsWith('unavailable', read(at, id).ended)
      }
    })

    it('go on at the next owner, from the place that was reached', async () => {
      const { id } = await create(on.a)
      const run = await lend(on.a)
      const before = read(on.b, id)
      await emit(on.a, run, 'one')
      await before.has(3)
      await on.handOver(on.a, on.b)
      await failsWith('unavailable', before.ended)
      const after = read(on.a, id, before.sequence)
      await emit(on.a, run, 'two')
      await after.has(1)
      await finish(on.b, run, 'succeeded')
      await after.ended
      const events = [...before.events, ...after.events].map(brief)
      assert.deepEqual(events, await readAll(on.b, id))
      assert.equal(events.length, 5)
    })

    it('miss nothing that happens while they begin', async () => {
      const { id } = await create(on.a)
      once(on.onTasks, 'after', 'get', () => on.b.tasks.cancelTask({ id }, as))
      assert.deepEqual(
        (await readAll(on.a, id)).map(([, what]) => what),
        ['queued', 'cancelled'],
      )
    })

    it('hear of a cancel at another replica', async () => {
      const { id } = await create(on.a)
      const reader = read(on.a, id)
      await reader.has(1)
      await on.b.tasks.cancelTask({ id }, as)
      await reader.ended
      assert.deepEqual(
        reader.events.map(brief).map(([, what]) => what),
        ['queued', 'cancelled'],
      )
    })
  })
}
