import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, mock } from 'node:test'
import { processMetrics } from '@millhand/telemetry'
import { GroupCommit, StoreClosed } from './group-commit.ts'

function setUp() {
  const db = new DatabaseSync(':memory:')
  db.exec('CREATE TABLE t (n)')
  const calls: string[] = []
  const syncs: PromiseWithResolvers<void>[] = []
  const commit = new GroupCommit({
    db,
    sync: () => {
      calls.push('sync')
      const sync = Promise.withResolvers<void>()
      syncs.push(sync)
      return sync.promise
    },
    repair: () => calls.push('repair'),
    events: { committed: () => calls.push('committed'), undone: () => calls.push('undone') },
    between: () => undefined,
    state: { refusal: () => undefined, explain: error => error },
    makeRoom: () => false,
  })
  const row = (n: number) => () => db.prepare('INSERT INTO t VALUES (?)').run(n).changes
  const insert = (n: number) => commit.write(row(n))
  const idle = (n: number) => commit.write(row(n), 'idle')
  const stored = () =>
    db
      .prepare('SELECT n FROM t ORDER BY rowid')
      .all()
      .map(row => Number(row.n))
  /** Resolves when a group has been committed and waits for its sync. */
  async function syncing(count: number) {
    while (syncs.length < count) await new Promise(resolve => setImmediate(resolve))
    return syncs[count - 1] as PromiseWithResolvers<void>
  }
  return { commit, insert, idle, stored, syncing, calls }
}

describe('GroupCommit', () => {
  it('syncs the writes of one turn once, and answers after the sync', async () => {
    const { insert, syncing, stored, calls } = setUp()
    let answered = 0
    const writes = [1, 2, 3].map(n => insert(n).then(() => answered++))
    const sync = await syncing(1)
    assert.deepEqual(stored(), [1, 2, 3])
    assert.equal(answered, 0)
    sync.resolve()
    await Promise.all(writes)
    assert.deepEqual(calls, ['sync', 'committed'])
  })

  it('makes the next group of what comes during a sync, in order', async () => {
    const { insert, syncing, stored } = setUp()
    const first = insert(1)
    const sync = await syncing(1)
    const later = [insert(2), insert(3)]
    assert.deepEqual(stored(), [1])
    sync.resolve()
    await first
    const second = await syncing(2)
    assert.deepEqual(stored(), [1, 2, 3])
    second.resolve()
    await Promise.all(later)
  })

  it('writes what is idle with the next group for others, else after a second or when it is hurried', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const { commit, insert, idle, stored, syncing } = setUp()
    const first = idle(1)
    mock.timers.tick(999)
    await new Promise(resolve => setImmediate(resolve))
    assert.deepEqual(stored(), [])
    const other = insert(2)
    ;(await syncing(1)).resolve()
    await Promise.all([first, other])
    assert.deepEqual(stored(), [2, 1])

    const second = idle(3)
    mock.timers.tick(1_000)
    ;(await syncing(2)).resolve()
    await second

    const third = idle(4)
    commit.hurry()
    ;(await syncing(3)).resolve()
    await third
    assert.equal(commit.commits, 3)

    const last = idle(5)
    const closing = commit.close()
    ;(await syncing(4)).resolve()
    await Promise.all([last, closing])
    assert.deepEqual(stored(), [2, 1, 3, 4, 5])
    mock.timers.reset()
  })

  it('lets a read out only when what it saw is durable', async () => {
    const { commit, insert, stored, syncing } = setUp()
    const write = insert(1)
    const sync = await syncing(1)
    let seen: number[] | undefined
    const read = commit.durable(stored).then(rows => {
      seen = rows
    })
    await new Promise(resolve => setImmediate(resolve))
    assert.equal(seen, undefined)
    sync.resolve()
    await Promise.all([write, read])
    assert.deepEqual(seen, [1])
  })

  it('undoes the whole group when one write throws, and goes on', async () => {
    const { commit, insert, stored, syncing, calls } = setUp()
    const broken = () => commit.write(() => assert.fail('disk I/O error'))
    const results = await Promise.allSettled([insert(1), broken(), insert(2)])
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    )
    assert.deepEqual(calls, ['undone'])
    const next = insert(3)
    const sync = await syncing(1)
    sync.resolve()
    await next
    assert.deepEqual(stored(), [3])
  })

  it('rejects a group and its readers when the sync fails, and repairs before the next commit', async () => {
    const { commit, insert, stored, syncing, calls } = setUp()
    const write = insert(1)
    const first = await syncing(1)
    const read = commit.durable(stored)
    first.reject(new Error('EIO'))
    await assert.rejects(write, /EIO/)
    await assert.rejects(read, /EIO/)
    const next = insert(2)
    const second = await syncing(2)
    second.resolve()
    await next
    assert.deepEqual(calls, ['sync', 'undone', 'repair', 'sync', 'committed'])
  })

  it('counts commits, with how long they took, and those that failed', async () => {
    const read = async (series: string) => {
      const lines = (await processMetrics.text({ warn: () => {} })).split('\n')
      return Number(
        lines.find(line => line.startsWith(`millhand_store_commit_${series}{store="sqlite"}`))?.split(' ')[1],
      )
    }
    const before = [await read('seconds_count'), await read('failures_total')] as const
    const { insert, syncing } = setUp()
    const failing = insert(1)
    const first = await syncing(1)
    first.reject(new Error('EIO'))
    await assert.rejects(failing, /EIO/)
    const written = insert(2)
    const second = await syncing(2)
    second.resolve()
    await written
    assert.deepEqual([await read('seconds_count'), await read('failures_total')], [before[0] + 1, before[1] + 1])
  })

  it('lets out what a read saw of a commit whose sync failed once that is repaired and synced', async () => {
    const { commit, insert, stored, syncing, calls } = setUp()
    const write = insert(1)
    ;(await syncing(1)).reject(new Error('EIO'))
    await assert.rejects(write, /EIO/)
    assert.deepEqual(stored(), [1])
    const failing = assert.rejects(commit.durable(stored), /EIO/)
    ;(await syncing(2)).reject(new Error('EIO'))
    await failing
    let seen: number[] | undefined
    const read = commit.durable(stored).then(rows => {
      seen = rows
    })
    const sync = await syncing(3)
    assert.equal(seen, undefined)
    sync.resolve()
    await read
    assert.deepEqual(seen, [1])
    assert.deepEqual(calls, ['sync', 'undone', 'repair', 'sync', 'undone', 'repair', 'sync', 'committed'])
    assert.deepEqual(await commit.durable(stored), [1])
    assert.equal(calls.length, 8)
  })

  it('closes a group at 1,000 writes', async () => {
    const { insert, stored, syncing } = setUp()
    const writes = Array.from({ length: 1500 }, (_, n) => insert(n))
    const first = await syncing(1)
    assert.equal(stored().length <= 1000, true)
    first.resolve()
    await Promise.all(writes.slice(0, stored().length))
    for (let group = 2; stored().length < 1500 || group === 2; group++) (await syncing(group)).resolve()
    await Promise.all(writes)
    assert.deepEqual(
      stored(),
      Array.from({ length: 1500 }, (_, n) => n),
    )
  })

  it('closes a group after 10 ms', async () => {
    const { commit, syncing } = setUp()
    let applied = 0
    const slow = () => {
      const end = performance.now() + 1
      while (performance.now() < end);
      applied += 1
    }
    const writes = Array.from({ length: 100 }, () => commit.write(slow))
    const first = await syncing(1)
    assert.equal(applied, 32)
    first.resolve()
    for (let group = 2; applied < 100; group++) (await syncing(group)).resolve()
    await Promise.all(writes)
  })

  it('finishes what it has taken before it closes, and takes nothing more', async () => {
    const { commit, insert, syncing, stored } = setUp()
    const write = insert(1)
    const closing = commit.close()
    await assert.rejects(insert(2), StoreClosed)
    await assert.rejects(commit.durable(stored), StoreClosed)
    const sync = await syncing(1)
    sync.resolve()
    await Promise.all([write, closing])
    assert.deepEqual(stored(), [1])
  })
})
