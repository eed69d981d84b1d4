import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type ManualClock, manualClock } from '@millhand/process'
import { type Collection, noAccount } from '@millhand/store'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { createOwnership, type EndReason, type OwnerRecord, type Ownership, ownersSpec } from './owner-election.ts'

describe('ownership', () => {
  let folder: string
  let db: SqliteDatabase
  let owners: Collection<OwnerRecord>
  let clock: ManualClock
  let replicas: Replica[]

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millhand-ownership-'))
    db = openSqlite({ file: join(folder, 'millhand.db') })
    owners = db.collection<OwnerRecord, never>(ownersSpec)
    clock = manualClock()
    replicas = []
  })
  afterEach(async () => {
    for (const replica of replicas) replica.stop()
    await pass(1_000)
    await Promise.all(replicas.map(each => each.ended))
    await db.close()
    rmSync(folder, { recursive: true })
  })

  interface Replica {
    readonly ownership: Ownership
    /** Whether it is doing the owner's work. */
    works: boolean
    /** Like SIGKILL: nothing of it reaches the store any more. */
    die(): void
    /** What each of its reads waits for before it is made. */
    before?: (() => Promise<void>) | undefined
    /** Why it was the owner no more, each time. */
    readonly reasons: EndReason[]
    /** What its work waits for before it ends. */
    lingers?: Promise<void>
    stop(): void
    readonly ended: Promise<void>
  }

  /** A replica with a clock of its own, or the one of all. */
  function start(address: string, own: ManualClock = clock, leaseMs = 2_000): Replica {
    let dead = false
    const reasons: EndReason[] = []
    const reaching: Collection<OwnerRecord> = {
      async get(...words) {
        await replica.before?.()
        if (dead) throw new Error('dead')
        return await owners.get(...words)
      },
      find: (...words) => owners.find(...words),
      count: (...words) => owners.count(...words),
      write: change => (dead ? Promise.reject(new Error('dead')) : owners.write(change)),
    }
    const ownership = createOwnership({
      owners: reaching,
      name: 'pools',
      address,
      leaseMs,
      clock: own,
      onError: () => {},
      onEnded: reason => reasons.push(reason),
    })
    const stopping = new AbortController()
    const replica: Replica = {
      ownership,
      works: false,
      reasons,
      die: () => {
        dead = true
      },
      stop: () => stopping.abort(),
      ended: ownership.run(stopping.signal, async signal => {
        replica.works = true
        await new Promise(resolve => signal.addEventListener('abort', resolve))
        await replica.lingers
        replica.works = false
      }),
    }
    replicas.push(replica)
    return replica
  }

  /** Lets time pass in steps, so that what waits for the store goes on between them. */
  async function pass(ms: number, of: ManualClock = clock) {
    for (let passed = 0; passed <= ms; passed += 50) {
      await of.advance(50)
      for (let turns = 0; turns < 10; turns++) await new Promise(resolve => setImmediate(resolve))
      await owners.get('none', 'none')
      await new Promise(resolve => setImmediate(resolve))
    }
  }

  it('belongs to one of many, and each knows which', async () => {
    const three = ['a', 'b', 'c'].map(address => start(address))
    await pass(1_000)
    const working = three.filter(each => each.works)
    assert.equal(working.length, 1)
    const address = ['a', 'b', 'c'][three.indexOf(working[0] as Replica)]
    for (const each of three) {
      assert.deepEqual(each.ownership.owner(), each.works ? 'here' : { address })
    }
  })

  it('stays where it is while its owner lives', async () => {
    const first = start('a')
    await pass(500)
    const second = start('b')
    await pass(10_000)
    assert.deepEqual([first.works, second.works], [true, false])
  })

  it('goes to another within its time when the owner dies, and no sooner than the owner has stopped', async () => {
    const first = start('a')
    await pass(500)
    const second = start('b')
    await pass(1_000)
    first.die()
    for (let waited = 0; waited < 1_500; waited += 50) {
      await pass(0)
      assert.ok(!(first.works && second.works), `two owners after ${waited} ms`)
    }
    await pass(1_500)
    assert.deepEqual([first.works, second.works], [false, true])
  })

  it('is given up at once by an owner that stops', async () => {
    const first = start('a')
    await pass(500)
    const second = start('b')
    first.stop()
    await pass(500)
    assert.deepEqual([first.works, second.works], [false, true])
  })

  it('is waited for by a new life at the same address as by any other', async () => {
    const first = start('a')
    await pass(500)
    first.die()
    const second = start('a')
    await pass(1_800)
    assert.deepEqual([second.works, second.ownership.owner()], [false, undefined])
    await pass(700)
    assert.equal(second.works, true)
  })

  it('stays with its owner when another lives at the same address, which is told so', async () => {
    const first = start('a')
    await pass(500)
    const second = start('a')
    const refused = assert.rejects(second.ended, /another living replica of pools advertises a too/)
    for (let waited = 0; waited < 3_000; waited += 50) {
      await pass(0)
      assert.deepEqual([first.works, second.works], [true, false], `after ${waited} ms`)
    }
    await refused
    replicas.pop()
  })

  it('takes the last renewal of an earlier life at its address for no sign of life', async () => {
    const first = start('a')
    await pass(500)
    first.die()
    const second = start('a')
    await pass(300)
    const record = await owners.get(noAccount, 'pools')
    assert.ok(record)
    const { version, ...document } = record
    await owners.write({ kind: 'replace', version, document, events: [] })
    await pass(2_600)
    assert.equal(second.works, true)
  })

  it('is lost by an owner that stood still, as soon as it goes on', async () => {
    const still = manualClock()
    const first = start('a', still)
    await pass(500, still)
    assert.equal(first.works, true)
    const second = start('b')
    await pass(3_000)
    assert.equal(second.works, true)
    await pass(500, still)
    assert.equal(first.works, false)
    assert.deepEqual(first.ownership.owner(), { address: 'b' })
  })

  it('is not taken from an owner that lives by one whose look took longer than a lease', async () => {
    const own = manualClock()
    const first = start('a', own)
    await pass(500, own)
    const second = start('b')
    let hasSynced = false
    second.before = async () => {
      await clock.sleep(3_000, new AbortController().signal)
      second.before = undefined
      hasSynced = true
    }
    while (!hasSynced) {
      await pass(0, own)
      await pass(0)
    }
    await pass(500)
    assert.deepEqual([first.works, second.works], [true, false])
    assert.deepEqual(second.ownership.owner(), { address: 'a' })
  })

  it('is where callers are sent, also by one that lost it and is not done with its work', async () => {
    const own = manualClock()
    const first = start('a', own)
    await pass(500, own)
    const done = Promise.withResolvers<void>()
    first.lingers = done.promise
    const second = start('b')
    await pass(3_000)
    await pass(2_500, own)
    assert.deepEqual([first.works, first.ownership.owner()], [true, { address: 'b' }])
    second.stop()
    await pass(500)
    await pass(1_000, own)
    assert.deepEqual([first.works, first.ownership.owner()], [true, undefined])
    done.resolve()
    await pass(1_000, own)
    assert.equal(first.ownership.owner(), 'here')
  })

  it('comes back to an owner that could not reach the store for a while', async () => {
    let away = false
    const reaching: Collection<OwnerRecord> = {
      get: (...words) => (away ? Promise.reject(new Error('away')) : owners.get(...words)),
      find: (...words) => owners.find(...words),
      count: (...words) => owners.count(...words),
      write: change => (away ? Promise.reject(new Error('away')) : owners.write(change)),
    }
    const errors: unknown[] = []
    const stopping = new AbortController()
    const ownership = createOwnership({
      owners: reaching,
      name: 'pools',
      address: 'a',
      leaseMs: 2_000,
      clock,
      onError: error => errors.push(error),
    })
    const ended = ownership.run(stopping.signal, signal => new Promise(resolve => (signal.onabort = () => resolve())))
    await pass(500)
    away = true
    await pass(3_000)
    assert.equal(ownership.owner(), undefined)
    assert.ok(errors.length > 0)
    away = false
    await pass(500)
    assert.equal(ownership.owner(), 'here')
    stopping.abort()
    await pass(100)
    await ended
  })

  /** Answers no read of these replicas for a while, as a store that stands still. */
  async function stall(stalled: readonly Replica[], ms: number) {
    const over = Promise.withResolvers<void>()
    for (const each of stalled) each.before = () => over.promise
    await pass(ms)
    for (const each of stalled) each.before = undefined
    over.resolve()
  }

  it('outlasts stalls of the store that are shorter than its time', async () => {
    const first = start('a', clock, 10_000)
    await pass(500)
    const second = start('b', clock, 10_000)
    await pass(1_000)
    for (const ms of [1_600, 2_400, 500, 1_600, 5_000]) {
      await stall([first, second], ms)
      assert.equal(first.ownership.owner(), 'here')
      await pass(2_000)
    }
    assert.deepEqual([first.works, second.works, first.reasons], [true, false, []])
  })

  it('goes on with the holder in the record after a stall that is longer, and with nobody else', async () => {
    const first = start('a', clock, 10_000)
    await pass(500)
    const second = start('b', clock, 10_000)
    await pass(1_000)
    const over = Promise.withResolvers<void>()
    first.before = () => over.promise
    await stall([second], 20_000)
    await pass(2_000) // The other is answered first.
    first.before = undefined
    over.resolve()
    for (let waited = 0; waited < 3_000; waited += 50) {
      await pass(0)
      assert.equal(second.works, false, `after ${waited} ms`)
    }
    assert.deepEqual([first.works, first.reasons], [true, ['expired']])
  })

  it('stays while one renewal gets no answer and others do', async () => {
    const first = start('a', clock, 10_000)
    await pass(500)
    const never = Promise.withResolvers<void>()
    first.before = () => {
      first.before = undefined
      return never.promise
    }
    await pass(20_000)
    const { works, reasons } = first
    never.reject(new Error('the connection broke'))
    assert.deepEqual([works, reasons], [true, []])
  })

  it('tells why it ended: it stopped, or another has the place', async () => {
    const own = manualClock()
    const first = start('a', own)
    await pass(500, own)
    const second = start('b')
    await pass(3_000) // The first stands still.
    await own.advance(500)
    await pass(500, own)
    second.stop()
    await pass(500)
    assert.deepEqual([first.reasons, second.reasons], [['taken'], ['stopped']])
    const third = start('c', clock, 2_000)
    await pass(500)
    const record = await owners.get(noAccount, 'pools')
    assert.ok(record && third.works)
    const { version, ...document } = record
    await owners.write({ kind: 'replace', version, document: { ...document, holder: 'somebody' }, events: [] })
    await pass(500)
    assert.deepEqual(third.reasons, ['taken'])
  })

  it('is vacant while its owner does not renew, and not while the store stalls', async () => {
    const first = start('a', clock, 10_000)
    await pass(500)
    const second = start('b', clock, 10_000)
    await pass(2_000)
    await stall([first, second], 9_000)
    await pass(500)
    assert.deepEqual(
      [first, second].map(each => each.ownership.isVacant()),
      [false, false],
    )
    first.die()
    await pass(4_000)
    assert.deepEqual([second.works, second.ownership.isVacant()], [false, true])
    await pass(8_000)
    assert.deepEqual([second.works, second.ownership.isVacant()], [true, false])
  })

  it('is given up for good by one whose last renewal is still under way', async () => {
    const first = start('a')
    await pass(500)
    const renewal = Promise.withResolvers<void>()
    first.before = () => {
      first.before = undefined
      return renewal.promise
    }
    await pass(500)
    first.stop()
    await pass(100)
    renewal.resolve()
    await pass(500)
    assert.equal((await owners.get(noAccount, 'pools'))?.holder, '')
  })
})
