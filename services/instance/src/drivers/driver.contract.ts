/** What every driver has to do. A driver's test calls `describeDriver` and adds its own. */
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Driver, DriverFault, type ObservedReplica, type ReplicaSpec } from './driver.ts'

export interface OpenDriver {
  readonly driver: Driver
  /** Another driver of the same deployment on the same engine, as after a restart of the service. */
  reopen(): Driver
  /** Images that the engine has, or is to lack. */
  readonly images: {
    /** Prints `started`, then runs until SIGTERM. */
    readonly runs: string
    readonly missing: string
    /** Ends with code 1. */
    readonly exits: string
    /** Uses all memory that it gets. */
    readonly eatsMemory: string
    /** Its command is not there. */
    readonly noCommand: string
  }
  /** Removes a replica from the engine, without the driver. */
  vanish(name: string): Promise<void>
  /** Makes the host of a driver with one host unreachable, its replicas running on; and reachable again. */
  loseHost(): Promise<void>
  restoreHost(): Promise<void>
  close(): Promise<void>
}

/** Longer than anything takes on a busy machine. */
export const LIMIT_MS = 240_000

/** `open` has one host without replicas, with room for at least 3. It is opened once. */
export function describeDriver(
  name: string,
  open: () => Promise<OpenDriver>,
  options: { skip?: string | false } = {},
): void {
  describe(`${name}: Driver`, options, () => {
    let opened: OpenDriver
    let driver: Driver
    before(async () => {
      opened = await open()
    })
    after(() => opened?.close())
    beforeEach(() => {
      driver = opened.reopen()
    })
    afterEach(async () => {
      const { replicas } = await driver.list(signal())
      await Promise.all(replicas.map(replica => driver.remove(replica, signal())))
    })

    it('runs what it is asked for, and tells who and where it is', async () => {
      const spec = await create(driver, opened, { tenant: 'acct_a/live', instance: 'inst_a', index: 3, generation: 7 })
      const [replica, ...others] = (await driver.list(signal())).replicas
      assert.deepEqual(others, [])
      assert.ok(replica)
      assert.equal(replica.state, 'running')
      assert.ok(Math.abs((replica.startedAt ?? 0) - Date.now()) < LIMIT_MS, 'the start is a time of this test')
      assert.equal(replica.endedAt, undefined)
      const { name, tenant, instance, index, generation, gpu } = replica
      assert.deepEqual({ name, tenant, instance, index, generation, gpu }, identityOf(spec))
    })

    it('leaves a replica alone that is there, also after a restart of the service', async () => {
      const spec = await create(driver, opened)
      const { replicas: before } = await driver.list(signal())
      const { host } = await driver.create(spec, { signal: signal() })
      const second = opened.reopen()
      await second.create(spec, { signal: signal() })
      const { replicas } = await second.list(signal())
      assert.deepEqual(replicas, before)
      assert.equal(host, replicas[0]?.host)
    })

    it('makes one replica of calls at the same time', async () => {
      const spec = specOf(opened)
      await Promise.all([1, 2, 3].map(() => driver.create(spec, { signal: signal() })))
      assert.equal((await driver.list(signal())).replicas.length, 1)
    })

    it('removes a replica, and one that is not there', async () => {
      const spec = await create(driver, opened)
      const [replica] = (await driver.list(signal())).replicas
      assert.ok(replica)
      await driver.remove(replica, signal())
      assert.deepEqual((await driver.list(signal())).replicas, [])
      await driver.remove(replica, signal())
      await driver.remove({ name: spec.name }, signal())
      await driver.remove({ name: 'never', host: 'taken-out' }, signal())
    })

    it('keeps a replica that it has ended until it is removed, where its record would go with it', async t => {
      if (driver.stop === undefined) return t.skip('the engine keeps the record of the end of what was removed')
      const spec = await create(driver, opened)
      const [before] = (await driver.list(signal())).replicas
      assert.ok(before)
      await driver.stop(before, signal())
      await driver.stop(before, signal())
      const [replica] = await until(driver, ([found]) => found?.state === 'exited')
      assert.ok((replica?.endedAt ?? 0) >= (replica?.startedAt ?? Number.POSITIVE_INFINITY))
      await driver.remove(replica as ObservedReplica, signal())
      await driver.stop(before, signal())
      assert.ok(!(await driver.list(signal())).replicas.some(({ name }) => name === spec.name))
    })

    it('does not say of what has vanished that it runs, and says so to who watches', async () => {
      const spec = await create(driver, opened)
      // An engine may keep the record of its end until the replica is removed.
      const reached = until(driver, replicas => replicas.every(({ reason }) => reason === 'replica_lost'))
      await opened.vanish(spec.name)
      for (const { state } of await reached) assert.equal(state, 'exited')
    })

    it('remembers when a replica ended that is not there any more', async () => {
      const spec = await create(driver, opened)
      const [replica] = (await driver.list(signal())).replicas
      assert.ok(replica)
      await opened.vanish(spec.name)
      const endedAt = (await opened.reopen().ends(replica.host, signal())).get(spec.name) ?? 0
      assert.ok(endedAt >= (replica.startedAt ?? Number.POSITIVE_INFINITY), `${endedAt} is after ${replica.startedAt}`)
      assert.deepEqual(await driver.ends('taken-out', signal()), new Map())
    })

    it('says why an image can not run, and leaves nothing behind', async () => {
      const { missing, noCommand } = opened.images
      await assert.rejects(create(driver, opened, { image: missing }), fault('image_not_found'))
      await assert.rejects(create(driver, opened, { image: noCommand }), fault('command_not_found'))
      assert.deepEqual((await driver.list(signal())).replicas, [])
    })

    it('says how a replica has ended, and lets it be started under another name', async () => {
      const spec = await create(driver, opened, { image: opened.images.exits })
      const [replica] = await until(driver, ([found]) => found?.state === 'exited')
      assert.ok(replica)
      assert.equal(replica.exitCode, 1)
      assert.equal(replica.reason, undefined)
      assert.ok((replica.endedAt ?? 0) >= (replica.startedAt ?? Number.POSITIVE_INFINITY), 'it ends after its start')
      await driver.create(spec, { signal: signal() })
      assert.equal((await driver.list(signal())).replicas[0]?.state, 'exited', 'it is not started again')
    })

    it('says that a replica has used all its memory', async () => {
      await create(driver, opened, { image: opened.images.eatsMemory })
      const [replica] = await until(driver, ([found]) => found?.state === 'exited')
      assert.equal(replica?.exitCode, 137)
      assert.equal(replica?.reason, 'out_of_memory')
    })

    it('has no room for a type that no host has', async () => {
      await assert.rejects(create(driver, opened, { gpu: 'none-of-these' }), fault('no_capacity'))
    })

    it('counts places', async () => {
      const free = async () => (await driver.capacity(signal())).find(({ gpu }) => gpu === 'cpu')
      const before = await free()
      assert.ok(before && before.free >= 3 && before.total >= before.free && before.memoryBytes > 0)
      await create(driver, opened)
      assert.deepEqual(await free(), { ...before, free: before.free - 1 })
    })

    it('does not take a lost host for an empty one', async () => {
      const spec = await create(driver, opened)
      const { replicas, lostHosts } = await driver.list(signal())
      assert.deepEqual(lostHosts, [])
      const host = replicas[0]?.host as string
      await opened.loseHost()
      try {
        assert.deepEqual(await whenNoticed(driver, replicas), { replicas: [], lostHosts: [host] })
        const restarted = opened.reopen()
        assert.deepEqual(await whenNoticed(restarted, replicas), { replicas: [], lostHosts: [host] })
        await assert.rejects(restarted.remove({ name: spec.name, host }, signal()), fault('unavailable'))
        await assert.rejects(restarted.remove({ name: spec.name }, signal()), fault('unavailable'))
      } finally {
        await opened.restoreHost()
      }
      const [back] = await until(driver, found => found.length > 0)
      assert.deepEqual(back, replicas[0])
    })

    it('gives lines, from where a reader stopped', async () => {
      const { name } = await create(driver, opened)
      const all = await lines(driver, name, { follow: false }, found => found.length > 0)
      assert.ok(all[0]?.text.includes('started'), all[0]?.text)
      const next = await collected(driver.logs(name, { follow: false, after: all[0]?.id as string }, signal()))
      assert.ok(!next.some(({ id }) => id === all[0]?.id), 'the line is not repeated')
      const tail = await collected(driver.logs(name, { follow: false, tail: 1 }, signal()))
      assert.equal(tail.length, 1)
      const none = driver.logs(name, { follow: false, since: Date.now() + LIMIT_MS }, signal())
      assert.deepEqual(await collected(none), [])
      await assert.rejects(collected(driver.logs('never', { follow: false }, signal())), fault('not_found'))
    })

    it('follows lines until the replica ends, and until nobody reads', async () => {
      const { name } = await create(driver, opened)
      const [replica] = (await driver.list(signal())).replicas
      assert.ok(replica)
      const following = collected(driver.logs(name, { follow: true }, signal()))
      const stop = new AbortController()
      const other = driver.logs(name, { follow: true }, stop.signal)[Symbol.asyncIterator]()
      assert.ok((await other.next()).value?.text.includes('started'))
      stop.abort()
      await assert.rejects(
        async () => {
          while (!(await other.next()).done);
        },
        { name: 'AbortError' },
      )
      await driver.remove(replica, signal())
      assert.ok((await following.catch(() => [{ text: 'started' }]))[0]?.text.includes('started'))
    })
  })
}

const signal = () => AbortSignal.timeout(LIMIT_MS)

export const fault = (reason: DriverFault['reason']) => (error: unknown) => {
  assert.ok(error instanceof DriverFault, `${error}`)
  assert.equal(error.reason, reason, `${error.message}: ${error.cause}`)
  return true
}

let count = 0

export function specOf({ images }: Pick<OpenDriver, 'images'>, more: Partial<ReplicaSpec> = {}): ReplicaSpec {
  return {
    ...{ name: `r-${process.pid}-${++count}`, tenant: 'acct_1/live', instance: 'inst_1', index: 0, generation: 1 },
    ...{ gpu: 'cpu', image: images.runs, env: {}, ports: [] },
    ...more,
  }
}

async function create(driver: Driver, opened: OpenDriver, more: Partial<ReplicaSpec> = {}): Promise<ReplicaSpec> {
  const spec = specOf(opened, more)
  await driver.create(spec, { signal: signal() })
  return spec
}

const identityOf = ({ name, tenant, instance, index, generation, gpu }: ReplicaSpec) => ({
  ...{ name, tenant, instance, index, generation, gpu },
})

/** What a driver says once it has noticed that its host is lost: until then it may say what it has heard before. */
async function whenNoticed(driver: Driver, before: readonly ObservedReplica[]): ReturnType<Driver['list']> {
  for (const limit = signal(); ; await pause(100, undefined, { signal: limit })) {
    const found = await driver.list(limit)
    if (found.lostHosts.length > 0) return found
    assert.deepEqual(found.replicas, before)
  }
}

/** Waits until the list satisfies `isReached`: the driver's watch says when it is worth a look. */
export async function until(
  driver: Driver,
  isReached: (replicas: readonly ObservedReplica[]) => boolean,
): Promise<readonly ObservedReplica[]> {
  const limit = signal()
  let changed = Promise.withResolvers<void>()
  const onAbort = () => changed.resolve() // The next look rejects.
  limit.addEventListener('abort', onAbort)
  using _ = driver.watch(() => changed.resolve())
  for (;;) {
    const { replicas } = await driver.list(limit)
    if (isReached(replicas)) return replicas
    await changed.promise
    changed = Promise.withResolvers()
  }
}

async function lines(
  driver: Driver,
  name: string,
  options: Parameters<Driver['logs']>[1],
  isReached: (found: Awaited<ReturnType<typeof collected>>) => boolean,
) {
  const limit = signal()
  for (;;) {
    const found = await collected(driver.logs(name, options, limit))
    if (isReached(found)) return found
  }
}

export async function collected<T>(all: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const one of all) found.push(one)
  return found
}
