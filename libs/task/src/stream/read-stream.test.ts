/** What a reader holds while it waits, and what is left of it. */
import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { codeOf } from '@millhand/api'
import { manualClock } from '@millhand/process'
import type { Errand } from '../errand.fixture.ts'
import { claim, emit, taskAfter } from '../task-history.fixture.ts'
import { TaskWatch } from '../task-watch.ts'
import { collectGarbage } from './garbage-collection.fixture.ts'
import { readStream, type StreamDeps } from './read-stream.ts'
import { sequenceOf } from './sequence.ts'

describe('a reader of a task’s stream', () => {
  let watch: TaskWatch<Errand>
  let owning: AbortController
  let reading: AbortController
  let stored: () => Errand | undefined
  let read: StreamDeps<Errand>['emissions']['read']

  beforeEach(() => {
    watch = new TaskWatch(manualClock())
    owning = new AbortController()
    reading = new AbortController()
    watch.hear(owning.signal)
    stored = () => taskAfter()
    read = unused
  })

  const open = () => {
    const deps = {
      tasks: { get: async () => stored() },
      emissions: { read },
      kind: { eventPrefix: 'errand.' },
      watch,
    }
    return readStream(deps, { tenant: 'acct_a/live', id: 'wtask_a' }, 0, reading.signal, ({ sequence, type }) => ({
      sequence: BigInt(sequence),
      type,
    }))
  }
  const unused = () => assert.fail('it was asked for')

  const endings: Record<string, (events: ReturnType<typeof open>) => Promise<unknown>> = {
    'that leaves between two events': events => events.return(undefined),
    'that leaves while it waits': events => {
      const next = events.next()
      reading.abort()
      return assert.rejects(next)
    },
    'whose owner is one no more': events => {
      const next = events.next()
      owning.abort()
      return assert.rejects(next, error => codeOf(error) === 'unavailable')
    },
    'of a task that ends': async events => {
      watch.changed({ ...taskAfter({ kind: 'cancel' }), version: 2 })
      assert.equal((await events.next()).value?.type, 'errand.cancelled')
      assert.equal((await events.next()).done, true)
    },
  }
  for (const [which, end] of Object.entries(endings)) {
    it(`${which} leaves nothing`, async () => {
      const events = open()
      assert.equal((await events.next()).value?.type, 'errand.queued')
      assert.equal(watch.size, 1)
      await end(events)
      assert.equal(watch.size, 0)
    })
  }

  it('of no task leaves nothing', async () => {
    stored = () => undefined
    await assert.rejects(open().next(), error => codeOf(error) === 'not_found')
    assert.equal(watch.size, 0)
  })

  it('where changes are heard elsewhere is sent away at once', async () => {
    owning.abort()
    await assert.rejects(open().next(), error => codeOf(error) === 'unavailable')
    assert.equal(watch.size, 0)
  })

  it('that reads what is stored stops when it is to, however much there is', async () => {
    stored = () => taskAfter(claim, emit)
    read = async function* () {
      for (let first = sequenceOf(2, 1); ; first++) {
        yield { tenant: 'acct_a/live', id: `${first}`, version: 1, first, at: 0, emissions: [{ output: '1' }] }
      }
    }
    const events = open()
    for (let told = 0; told < 5; told++) await events.next()
    reading.abort()
    await assert.rejects(events.next(), error => codeOf(error) === 'unavailable')
    assert.equal(watch.size, 0)
  })

  it('keeps no task while it waits', async () => {
    let kept: WeakRef<Errand> | undefined
    stored = () => {
      const task = taskAfter()
      kept = new WeakRef(task)
      return task
    }
    const events = open()
    await events.next()
    const next = events.next()
    await collectGarbage()
    assert.equal(kept?.deref(), undefined)
    watch.changed({ ...taskAfter(claim), version: 2 })
    assert.equal((await next).value?.type, 'errand.started')
    await events.return(undefined)
  })
})
