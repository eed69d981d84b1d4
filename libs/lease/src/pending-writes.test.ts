/** What is decided about work before it is durable: how often it is written, who hears of it when, and what if it fails. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { manualClock } from '@millhand/process'
import type { Change, Collection, OutboxEvent, WriteResult } from '@millhand/store'
import { REST_MS, REST_OF_NEW_MS } from './pending-writes.ts'
import { countedByOwner, type LeaseCause, noDueTime, refuse, type StateMachine, type Work } from './work.ts'
import { createWorkStore, type WorkStore } from './work-store.ts'

const tenant = 'acct_a/live'
const claim: LeaseCause = { kind: 'claimed', lease_id: 'l' }
const end = { kind: 'finished' } as LeaseCause

const queued = (id: string): Work => ({
  ...{ tenant, id, version: 1, pool: 'live/onnx', group: 'g', rank: 1, status: 'queued', alone: false, backoff_ms: 0 },
  ...{ due_at: noDueTime, lease_id: '', attempt: 0 },
})

const eventOf = (id: string, type: string): OutboxEvent => ({
  ...{ topic: 't', key: id, id: `evt_${id}_${type}`, type, time: 1, value: '{}' },
})

const machine: StateMachine<Work, LeaseCause> = {
  transition(work, cause) {
    if (cause.kind === 'claimed' && work.status === 'queued')
      return { ...work, status: 'running', lease_id: cause.lease_id, attempt: work.attempt + 1, due_at: countedByOwner }
    if (cause.kind === 'finished' && work.status === 'running') return { ...work, status: 'succeeded', lease_id: '' }
    return refuse(`is_${work.status}`)
  },
  events: (_, after) => [eventOf(after.id, after.status)],
}

describe('pending writes', () => {
  /** What the store was asked to write, in this order; each waits for its answer. */
  let asked: { readonly change: Change<Work>; readonly answer: PromiseWithResolvers<WriteResult> }[]
  let stored: Map<string, Work>
  let heard: string[]
  let work: WorkStore<Work, LeaseCause>

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] })
    asked = []
    stored = new Map()
    heard = []
    const collection: Collection<Work, 'ready' | 'due'> = {
      get: async (_, id) => stored.get(id),
      find: async () => [...stored.values()],
      count: async () => 0,
      write(change) {
        const answer = Promise.withResolvers<WriteResult>()
        asked.push({ change, answer })
        return answer.promise
      },
    }
    const tell =
      (what: string) =>
      (_: Work | undefined, { id, status, version }: Work) =>
        heard.push(`${what} ${id} ${status} ${version}`)
    work = createWorkStore({
      collection,
      machine,
      clock: manualClock(),
      onChanged: tell('durable'),
      onDecided: tell('decided'),
      onDoubt: one => tell('doubt')(undefined, one),
    })
  })
  afterEach(() => mock.timers.reset())

  /** Answers the oldest write that is not answered yet. */
  async function answer(how: 'written' | 'conflict' | Error = 'written') {
    await nextTurn()
    const one = asked.shift() ?? assert.fail('nothing was asked')
    const { change } = one
    if (how instanceof Error) one.answer.reject(how)
    else if (how === 'conflict') one.answer.resolve({ kind: 'conflict', index: 'version' })
    else if (change.kind === 'remove') assert.fail('nothing is removed here')
    else {
      const version = change.kind === 'insert' ? (change.version ?? 1) : (change.to ?? change.version + 1)
      stored.set(change.document.id, { ...change.document, version } as Work)
      one.answer.resolve({ kind: 'written', version })
    }
    await nextTurn()
    return change
  }
  const insert = (id: string, rests = true) => work.insert(queued(id), [eventOf(id, 'queued')], rests ? 'rests' : 'now')
  const typesOf = (change: Change<Work>) => change.events.map(({ type }) => type)

  it('inserts work that rests together with its end, with all its events', async () => {
    const inserted = insert('a')
    await work.decide(tenant, 'a', claim)
    const ended = work.change(tenant, 'a', end)
    await nextTurn()
    assert.equal(asked.length, 1)
    assert.deepEqual(heard, ['decided a queued 1', 'decided a running 2'])
    const change = await answer()
    assert.ok(change.kind === 'insert' && change.version === 3 && (change.document as Work).status === 'succeeded')
    assert.deepEqual(typesOf(change), ['queued', 'running', 'succeeded'])
    assert.equal(await inserted, true)
    assert.equal((await ended).kind, 'changed')
    assert.equal(heard.at(-1), 'durable a succeeded 3')
    assert.equal(heard.length, 3)
  })

  it('writes new work that rests after its time, and not before', async () => {
    const startedAt = Math.ceil(performance.now()) // Whole, so that sums and differences are exact.
    const now = mock.method(performance, 'now', () => startedAt)
    const inserted = insert('a')
    await work.decide(tenant, 'a', claim)
    mock.timers.tick(REST_OF_NEW_MS - 1)
    await nextTurn()
    assert.equal(asked.length, 0)
    now.mock.mockImplementation(() => startedAt + REST_OF_NEW_MS)
    mock.timers.tick(1)
    now.mock.restore()
    assert.deepEqual(typesOf(await answer()), ['queued', 'running'])
    assert.equal(await inserted, true)
  })

  it('writes a change that rests after its shorter time, also beside new work', async () => {
    const stored = insert('a', false)
    await answer()
    await stored
    const startedAt = Math.ceil(performance.now()) // Whole, so that sums and differences are exact.
    const now = mock.method(performance, 'now', () => startedAt)
    void insert('b')
    await work.decide(tenant, 'a', claim)
    mock.timers.tick(REST_MS - 1)
    await nextTurn()
    assert.equal(asked.length, 0)
    now.mock.mockImplementation(() => startedAt + REST_MS)
    mock.timers.tick(1)
    await nextTurn()
    assert.equal(asked.length, 1)
    assert.deepEqual(typesOf(await answer()), ['running'])
    now.mock.mockImplementation(() => startedAt + REST_OF_NEW_MS)
    mock.timers.tick(REST_OF_NEW_MS - REST_MS)
    now.mock.restore()
    assert.deepEqual(typesOf(await answer()), ['queued'])
  })

  it('writes one work once at a time, and meanwhile gathers what is decided', async () => {
    const inserted = insert('a', false)
    await nextTurn()
    const claimed = work.change(tenant, 'a', claim)
    const ended = work.change(tenant, 'a', end)
    await nextTurn()
    assert.equal(asked.length, 1)
    assert.deepEqual(typesOf(await answer()), ['queued'])
    assert.equal(await inserted, true)
    const change = await answer()
    assert.ok(change.kind === 'replace' && change.version === 1 && change.to === 3)
    assert.deepEqual(typesOf(change), ['running', 'succeeded'])
    await Promise.all([claimed, ended])
    assert.deepEqual(heard, ['durable a queued 1', 'durable a succeeded 3'])
  })

  it('tells nobody anything of a write before it is answered', async () => {
    const told: string[] = []
    void insert('a').then(() => told.push('insert'))
    await work.decide(tenant, 'a', claim)
    void work.change(tenant, 'a', end).then(() => told.push('end'))
    void work.get(tenant, 'a').then(() => told.push('get'))
    void work.change(tenant, 'a', end).then(({ kind }) => told.push(kind))
    await nextTurn()
    assert.deepEqual([told, heard.filter(one => one.startsWith('durable'))], [[], []])
    await answer()
    assert.deepEqual(told.sort(), ['end', 'get', 'insert', 'refused'])
  })

  it('writes what rests for whoever reads it', async () => {
    const inserted = insert('a')
    const read = work.get(tenant, 'a')
    await answer()
    assert.equal((await read)?.status, 'queued')
    await inserted
    assert.equal(await work.get('acct_b/live', 'a').then(one => one?.tenant), tenant) // The store's own answer.
  })

  it('makes nothing of what was decided on what could not be written, and says so', async () => {
    const inserted = assert.rejects(insert('a'), /full/)
    await work.decide(tenant, 'a', claim)
    const ended = assert.rejects(work.change(tenant, 'a', end), /full/)
    await answer(new Error('full'))
    await Promise.all([inserted, ended])
    assert.equal(heard.at(-1), 'doubt a succeeded 3')
    assert.equal((await work.change(tenant, 'a', end)).kind, 'missing')
  })

  it('has new work read again whose write failed, since it may be there all the same', async () => {
    const inserted = assert.rejects(insert('a', false), /not synced/)
    await answer(new Error('not synced'))
    await inserted
    assert.deepEqual(heard, ['doubt a queued 1'])
  })

  it('has a change read again that did not rest and whose write failed, since it may be there all the same', async () => {
    stored.set('a', queued('a'))
    const claimed = assert.rejects(work.change(tenant, 'a', claim), /not synced/)
    await answer(new Error('not synced'))
    await claimed
    assert.deepEqual(heard, ['doubt a running 2'])
    const again = work.change(tenant, 'a', claim)
    await nextTurn()
    stored.set('a', { ...queued('a'), version: 2, status: 'cancelled' })
    await answer('conflict')
    await again
    assert.equal(heard.length, 1) // What is there then is known.
  })

  it('voids what waits behind a write that fails', async () => {
    stored.set('a', queued('a'))
    await work.decide(tenant, 'a', claim)
    const read = work.get(tenant, 'a')
    await nextTurn()
    const ended = assert.rejects(work.change(tenant, 'a', end), /away/)
    await answer(new Error('away'))
    await ended
    assert.equal(asked.length, 0)
    assert.equal((await read)?.status, 'queued')
    assert.equal(heard.at(-1), 'doubt a succeeded 3')
    const after = await work.change(tenant, 'a', end)
    assert.ok(after.kind === 'refused' && after.reason === 'is_queued')
  })

  it('decides again on what is there where another has changed it before', async () => {
    stored.set('a', queued('a'))
    await work.decide(tenant, 'a', claim)
    const ended = work.change(tenant, 'a', end)
    await nextTurn()
    stored.set('a', { ...queued('a'), version: 2, status: 'cancelled' })
    await answer('conflict')
    const result = await ended
    assert.ok(result.kind === 'refused' && result.reason === 'is_cancelled')
    assert.ok(heard.includes('doubt a succeeded 3'))
  })

  it('lets nothing rest from a failure until something was written', async () => {
    const failed = assert.rejects(insert('a', false), /full/)
    await answer(new Error('full'))
    await failed
    heard.length = 0
    const inserted = insert('b')
    await nextTurn()
    assert.deepEqual([asked.length, heard], [1, []])
    await answer()
    await inserted
    void insert('c')
    assert.equal(heard.at(-1), 'decided c queued 1')
  })

  it('refuses an id that is pending once it is durable, and takes it where that failed', async () => {
    const first = insert('a', false)
    const second = insert('a', false)
    await answer()
    assert.deepEqual(await Promise.all([first, second]), [true, false])
    const third = assert.rejects(insert('b', false), /full/)
    const fourth = insert('b', false)
    await answer(new Error('full'))
    await third
    await answer()
    assert.equal(await fourth, true)
  })

  it('shows whoever looks for work what was decided of it since', async () => {
    stored.set('a', queued('a'))
    await work.decide(tenant, 'a', claim)
    const [found] = await work.find('ready', { equals: ['live/onnx'], limit: 1 })
    assert.equal(found?.status, 'running')
  })
})
