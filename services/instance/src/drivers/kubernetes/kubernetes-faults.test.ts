import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import type { V1Namespace, V1Pod } from '@kubernetes/client-node'
import { kubernetesMissing } from '@millhand/test-servers'
import { fault, LIMIT_MS, specOf, until } from '../driver.contract.ts'
import type { ObservedReplica, ReplicaSpec } from '../driver.ts'
import { images, startCluster, type TestCluster } from './kubernetes.fixture.ts'
import type { KubernetesDriver } from './kubernetes-driver.ts'
import { FINALIZER, namespaceOf } from './labels.ts'

const signal = () => AbortSignal.timeout(LIMIT_MS)
const namespace = namespaceOf('millhand-', 'test', 'acct_1/live')
const MERGE = 'application/merge-patch+json'

describe('the kubernetes driver under faults', { skip: kubernetesMissing }, () => {
  let cluster: TestCluster
  let driver: KubernetesDriver
  const create = async (more: Partial<ReplicaSpec> = {}) => {
    const spec = specOf({ images }, more)
    await driver.create(spec, { signal: signal() })
    return spec
  }
  const podPath = (name: string) => `/api/v1/namespaces/${namespace}/pods/${name}`
  const forceDelete = (name: string) =>
    cluster.admin.call('DELETE', podPath(name), { signal: signal(), body: { gracePeriodSeconds: 0 } })
  const pods = async () =>
    (await cluster.admin.call<{ items: V1Pod[] }>('GET', `/api/v1/namespaces/${namespace}/pods`, { signal: signal() }))
      .items
  const only = async (): Promise<ObservedReplica | undefined> => {
    const { replicas, lostHosts } = await driver.list(signal())
    assert.deepEqual(lostHosts, [])
    assert.ok(replicas.length <= 1)
    return replicas[0]
  }

  before(async () => {
    cluster = await startCluster()
    await cluster.addNode('node-1')
    driver = cluster.driver()
  })
  after(() => cluster?.[Symbol.asyncDispose]())
  afterEach(async () => {
    const { replicas } = await driver.list(signal())
    await Promise.all(replicas.map(replica => driver.remove(replica, signal())))
    assert.deepEqual(await pods(), [], 'no pod is left')
  })

  it('sees the same after the API server was killed, and hears that it is back', async () => {
    await create()
    const before = await only()
    await cluster.kubernetes.kill()
    assert.deepEqual(await driver.list(signal()), { replicas: [], lostHosts: [before?.host] })
    await assert.rejects(create(), fault('unavailable'))
    const back = until(driver, replicas => replicas.length > 0)
    await cluster.kubernetes.start()
    assert.deepEqual(await back, [before])
    await create()
  })

  it('makes replicas through an API server that is killed again and again, each once', async () => {
    const specs = Array.from({ length: 8 }, (_, index) => specOf({ images }, { index }))
    let isOver = false
    const made = Promise.all(
      specs.map(async spec => {
        for (;;) {
          try {
            return await driver.create(spec, { signal: signal() })
          } catch (error) {
            assert.ok(fault('unavailable')(error))
          }
        }
      }),
    ).finally(() => {
      isOver = true
    })
    for (let kills = 0; kills < 3 || !isOver; kills++) {
      await cluster.kubernetes.kill()
      await cluster.kubernetes.start()
      if (kills >= 3) await Promise.race([made, until(driver, found => found.length === specs.length)])
    }
    await made
    const running = await until(driver, found => found.every(({ state }) => state === 'running'))
    assert.deepEqual(running.map(({ name }) => name).sort(), specs.map(({ name }) => name).sort())
  })

  it('lists everything again where the cluster has forgotten the version that it knows', async () => {
    const { name } = await create()
    await cluster.kubernetes.kill()
    // The store forgets all versions but the latest, so the watch can't go on from the one that the driver has.
    const { header } = (await etcd('kv/range', { key: btoa('/registry/') })) as { header: { revision: string } }
    await etcd('kv/compaction', { revision: header.revision, physical: true })
    const back = until(driver, replicas => replicas.length === 1)
    await cluster.kubernetes.start()
    await back
    await forceDelete(name)
    await until(driver, ([found]) => found?.state === 'exited')
  })

  it('knows when a replica ended that was deleted by force while no service ran', async () => {
    const { name } = await create()
    const startedAt = (await only())?.startedAt ?? 0
    const closed = driver
    driver = cluster.driver()
    await closed[Symbol.asyncDispose]()
    await forceDelete(name)
    const [found] = await until(driver, ([replica]) => replica?.state === 'exited')
    const terminated = (await pods())[0]?.status?.containerStatuses?.[0]?.state?.terminated
    assert.equal(found?.endedAt, Date.parse(String(terminated?.finishedAt)))
    assert.ok((found?.endedAt ?? 0) >= startedAt)
    assert.equal(found?.reason, 'replica_lost')
    await driver.remove({ name }, signal())
    assert.equal((await driver.ends(found?.host ?? '', signal())).get(name), found?.endedAt)
  })

  it('hears that a replica was deleted while it was started, and can start it again', async () => {
    const spec = specOf({ images }, { image: images.slow })
    const starting = driver.create(spec, { signal: signal() })
    starting.catch(() => {})
    while ((await pods())[0]?.status?.containerStatuses === undefined);
    await forceDelete(spec.name)
    // Its node has had it, so it says how it ended.
    await starting
    await until(driver, ([found]) => found?.reason === 'replica_lost')
  })

  it('sees that a pod is gone whose finalizer somebody took away', async () => {
    const { name } = await create()
    const gone = until(driver, replicas => replicas.length === 0)
    const body = { metadata: { finalizers: [] } }
    await cluster.admin.call('PATCH', podPath(name), { signal: signal(), body, contentType: MERGE })
    await forceDelete(name)
    await gone
  })

  it('removes a pod that others change at the same time, and leaves their finalizers', async () => {
    const { name } = await create()
    const finalizers = [FINALIZER, 'example.com/theirs']
    await cluster.admin.call('PATCH', podPath(name), {
      ...{ signal: signal(), body: { metadata: { finalizers } }, contentType: MERGE },
    })
    const removed = driver.remove({ name }, signal())
    let isOurs = true
    for (let change = 0; isOurs; change++) {
      const body = { metadata: { annotations: { change: String(change) } } }
      const options = { signal: signal(), body, contentType: MERGE }
      const pod = await cluster.admin.call<V1Pod>('PATCH', podPath(name), options)
      isOurs = pod.metadata?.finalizers?.includes(FINALIZER) === true
    }
    const options = { signal: signal(), body: { metadata: { finalizers: [] } }, contentType: MERGE }
    const { metadata } = await cluster.admin.call<V1Pod>('PATCH', podPath(name), options)
    assert.equal(metadata?.name, name)
    await removed
  })

  it('does not say of a replica on a lost node that it runs, nor that it is gone', async () => {
    const node = await cluster.addNode('node-2', { labels: { pool: 'two' } })
    const own = cluster.driver({ nodeSelector: { pool: 'two' } })
    const spec = specOf({ images })
    await own.create(spec, { signal: signal() })
    const before = await only()
    const lost = until(driver, ([found]) => found?.state === 'unknown')
    await node.lose()
    await lost
    await assert.rejects(driver.remove({ name: spec.name }, signal()), fault('unavailable'))
    assert.equal((await only())?.state, 'unknown')
    assert.equal(before?.state, 'running')
    // It was asked to end, and does once its node is back.
    const ended = until(driver, ([found]) => found === undefined || found.state === 'exited')
    await node.restore()
    await ended
  })

  it('counts replicas of a node that was taken out of the cluster as ended, not later than was known', async () => {
    const node = await cluster.addNode('node-3', { labels: { pool: 'three' } })
    const own = cluster.driver({ nodeSelector: { pool: 'three' } })
    await own.create(specOf({ images }), { signal: signal() })
    const startedAt = (await only())?.startedAt
    await node.lose()
    const gone = until(driver, ([found]) => found?.state === 'exited')
    await cluster.admin.call('DELETE', '/api/v1/nodes/node-3', { signal: signal() })
    const [found] = await gone
    assert.deepEqual([found?.reason, found?.endedAt], ['replica_lost', startedAt])
  })

  it('makes the namespace again that somebody has deleted', async () => {
    const { name } = await create()
    const path = `/api/v1/namespaces/${namespace}`
    await cluster.admin.call('DELETE', path, { signal: signal() })
    await assert.rejects(create(), fault('unavailable'))
    // What the namespace controller does: it deletes what is there, and then the namespace.
    await forceDelete(name)
    await until(driver, ([found]) => found?.state === 'exited')
    await driver.remove({ name }, signal())
    const current = await cluster.admin.call<V1Namespace>('GET', path, { signal: signal() })
    const body = { ...current, spec: { finalizers: [] } }
    await cluster.admin.call('PUT', `${path}/finalize`, { signal: signal(), body })
    await create()
    assert.equal((await only())?.state, 'running')
  })

  async function etcd(call: string, body: object): Promise<unknown> {
    const answer = await fetch(`http://${cluster.kubernetes.etcd.address}/v3/${call}`, {
      ...{ method: 'POST', body: JSON.stringify(body) },
    })
    return await answer.json()
  }
})
