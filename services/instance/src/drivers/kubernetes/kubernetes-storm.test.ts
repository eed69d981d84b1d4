/**
 * Random operations on instances on a real cluster, while their owner dies, the API server is killed, and pods are deleted by force:
 * after the last fault there is what is desired, nothing else, and what ran is what was metered.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { V1Pod } from '@kubernetes/client-node'
import { createIds, createSecretCipher } from '@millhand/api'
import { loadPlans } from '@millhand/plans'
import { systemClock as clock } from '@millhand/process'
import { openSqlite } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import { kubernetesMissing } from '@millhand/test-servers'
import { type Instances, instancesSpec, replicaName } from '../../instance.ts'
import { changeInstance, type InstanceStoreDeps, insertInstance } from '../../instance-store.ts'
import { newInstance } from '../../new-instance.ts'
import type { ObservedAt } from '../../observation-times.ts'
import { Reconciler } from '../../reconciler.ts'
import { specOf } from '../driver.contract.ts'
import { images, startCluster, type TestCluster } from './kubernetes.fixture.ts'
import type { KubernetesDriver } from './kubernetes-driver.ts'

const TENANT = 'acct_1/live'
const INSTANCES = 6
const OPERATIONS = 80
const TOLERANCE_MS = 1_000

test('on a cluster, desired is observed after the last fault; nothing is lost, doubled or metered wrongly', {
  skip: kubernetesMissing,
  timeout: 900_000,
}, async t => {
  const seed = Number(process.env.MILLHAND_SEED ?? Math.floor(Math.random() * 2 ** 31))
  t.diagnostic(`seed ${seed}`)
  await using cluster = await startCluster()
  for (const name of ['node-1', 'node-2']) await cluster.addNode(name, { cpus: 16 })
  const folder = await mkdtemp(join(tmpdir(), 'millhand-kubernetes-storm-'))
  const db = openSqlite({ file: join(folder, 'millhand.db') })
  try {
    const storm = new Storm(cluster, db, seed)
    await storm.run()
    t.diagnostic(JSON.stringify(storm.faults))
    await storm.check()
  } finally {
    await db.close()
    await rm(folder, { recursive: true })
  }
})

class Storm {
  readonly faults = { owners: 0, servers: 0, deleted: 0, ended: 0, orphans: 0 }
  readonly #cluster: TestCluster
  readonly #deps: InstanceStoreDeps
  readonly #instances: Instances
  readonly #db: ReturnType<typeof openSqlite>
  /** What was asked for last of each. */
  readonly #asked = new Map<string, number | 'end'>()
  readonly #metered = new Map<string, number>()
  readonly #orphans = new Set<string>()
  /** On a cluster that did not answer: one that nobody had seen by then is replaced, and never metered. */
  readonly #lost = new Set<string>()
  #state: number
  #life: { readonly owner: Reconciler; readonly driver: KubernetesDriver; readonly ending: AbortController } | undefined

  constructor(cluster: TestCluster, db: ReturnType<typeof openSqlite>, seed: number) {
    this.#cluster = cluster
    this.#db = db
    this.#state = seed
    const instances: Instances = db.collection(instancesSpec)
    this.#instances = {
      ...instances,
      get: (...args) => instances.get(...args),
      find: (...args) => instances.find(...args),
      count: (...args) => instances.count(...args),
      write: async change => {
        const result = await instances.write(change)
        if (result.kind === 'written') for (const { type, value } of change.events) this.#meter(type, value)
        return result
      },
    }
    this.#deps = {
      ...{ instances: this.#instances, clock, ids: createIds({ now: () => clock.now() }) },
      ...{ prices: loadPlans().prices, retentionMs: 30 * 86_400_000 },
    }
  }

  async run(): Promise<void> {
    for (let n = 0; n < INSTANCES; n++) await this.#create()
    for (let n = 0; n < OPERATIONS; n++) {
      await this.#operate()
      await this.#pass()
    }
  }

  async check(): Promise<void> {
    await this.#until(async () => {
      const all = await Promise.all([...this.#asked.keys()].map(id => this.#instances.get(TENANT, id)))
      const isMet = all.every(instance => {
        const asked = this.#asked.get(instance?.id ?? '')
        if (asked === 'end' || instance?.ending) return instance?.work === 'done'
        return instance?.status === 'running' && instance.slots.length === asked
      })
      const names = all.flatMap(each => (each?.slots ?? []).map(slot => replicaName(each?.id ?? '', slot)))
      return (
        isMet &&
        names.sort().join() ===
          (await this.#pods())
            .map(({ metadata }) => metadata?.name)
            .sort()
            .join()
      )
    })
    for (const id of this.#asked.keys())
      await changeInstance(this.#deps, TENANT, id, { kind: 'delete', now: clock.now() })
    await this.#until(async () => (await this.#pods()).length === 0)
    for (let n = 0; n < 3; n++) await this.#pass()
    await this.#end()
    for (const [name, { from, to }] of this.#cluster.runs) {
      if (this.#orphans.has(name)) continue
      const metered = this.#metered.get(name) ?? 0
      const told = `${name} ran ${to - from} ms, ${metered} were metered`
      assert.ok(metered <= to - from + TOLERANCE_MS, told)
      if (!this.#lost.has(name)) assert.ok(metered >= to - from - TOLERANCE_MS, told)
    }
    for (const name of this.#metered.keys()) assert.ok(this.#cluster.runs.has(name), `${name} was metered, never ran`)
  }

  async #operate(): Promise<void> {
    const ids = [...this.#asked.keys()]
    const id = ids[this.#below(ids.length)] as string
    const pods = await this.#pods()
    const pod = pods[this.#below(pods.length || 1)]
    const now = clock.now()
    const dice = this.#below(16)
    if (dice < 7) {
      const replicas = this.#below(5)
      await changeInstance(this.#deps, TENANT, id, { kind: 'scale', replicas, now })
      if (this.#asked.get(id) !== 'end') this.#asked.set(id, replicas)
    } else if (dice === 7) {
      await changeInstance(this.#deps, TENANT, id, { kind: 'delete', now })
      this.#asked.set(id, 'end')
      await this.#create()
    } else if (dice < 10) {
      this.faults.owners++
      await this.#end()
    } else if (dice === 10) {
      this.faults.servers++
      await this.#cluster.kubernetes.kill()
      await this.#pass()
      await this.#cluster.kubernetes.start()
      for (const { metadata } of [...pods, ...(await this.#pods())]) this.#lost.add(metadata?.name ?? '')
    } else if (dice === 11) {
      this.faults.orphans++
      const spec = specOf({ images }, { instance: this.#deps.ids('inst'), tenant: TENANT, generation: 1_000_000 })
      this.#orphans.add(spec.name)
      await (await this.#begin()).driver.create(spec, { signal: AbortSignal.timeout(240_000) }).catch(() => {})
    } else if (pod !== undefined && dice < 14) {
      this.faults.deleted++
      await this.#forceDelete(pod)
    } else if (pod?.status?.phase === 'Running' && pod.metadata?.deletionTimestamp === undefined) {
      this.faults.ended++
      await this.#cluster.endPod(pod, 1)
    }
  }

  async #create(): Promise<void> {
    const id = this.#deps.ids('inst')
    const replicas = this.#below(4)
    const document = newInstance({
      ...{ id, tenant: TENANT, image: images.runs, gpu: 'cpu', account_id: 'acct_1', mode: 'live', plan: 'enterprise' },
      ...{ command: [], ports: [], metadata: {}, desired: { replicas }, created_at: clock.now() },
    })
    await insertInstance(this.#deps, document)
    this.#asked.set(id, replicas)
  }

  async #pass(): Promise<void> {
    const { owner, ending } = await this.#begin()
    owner.engineChanged()
    await owner.pass(ending.signal).catch(() => {})
  }

  /** An owner where none lives, as a new process would be. */
  async #begin() {
    if (this.#life !== undefined) return this.#life
    const driver = this.#cluster.driver({ graceSeconds: 1 })
    const owner = new Reconciler({
      ...{ ...this.#deps, mode: 'live', driver, clock, cipher: createSecretCipher(new Uint8Array(32)) },
      observedAt: this.#db.collection<ObservedAt>({ name: 'engine_observations', indexes: {} }),
      share: () => ({ weight: 1, maxReplicas: 100_000 }),
      log: createLog({ level: 'error', write: () => {} }),
    })
    this.#life = { owner, driver, ending: new AbortController() }
    return this.#life
  }

  /** What it has begun breaks off. */
  async #end(): Promise<void> {
    this.#life?.ending.abort()
    await this.#life?.driver[Symbol.asyncDispose]()
    this.#life = undefined
  }

  async #until(isReached: () => Promise<boolean>): Promise<void> {
    const late = clock.monotonic() + 240_000
    while (!(await isReached())) {
      assert.ok(clock.monotonic() < late, 'the cluster has what is desired')
      await this.#pass()
    }
  }

  async #pods(): Promise<readonly V1Pod[]> {
    const query = { labelSelector: 'millhand/deployment=test' }
    const options = { signal: AbortSignal.timeout(240_000), query }
    return (await this.#cluster.admin.call<{ items: readonly V1Pod[] }>('GET', '/api/v1/pods', options)).items
  }

  async #forceDelete({ metadata }: V1Pod): Promise<void> {
    const path = `/api/v1/namespaces/${metadata?.namespace}/pods/${metadata?.name}`
    const options = { signal: AbortSignal.timeout(240_000), body: { gracePeriodSeconds: 0 } }
    await this.#cluster.admin.call('DELETE', path, options).catch(() => {})
  }

  #meter(type: string, value: string): void {
    if (type !== 'instance.metered') return
    const { instance_id, replica: index, generation, run_ms } = JSON.parse(value).data.object
    const name = replicaName(instance_id, { index, generation })
    this.#metered.set(name, (this.#metered.get(name) ?? 0) + run_ms)
  }

  /** A linear congruential generator (https://en.wikipedia.org/wiki/Linear_congruential_generator, the numbers of Numerical Recipes). */
  #below(most: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((this.#state / 2 ** 32) * most)
  }
}
