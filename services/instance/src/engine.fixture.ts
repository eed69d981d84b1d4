/** For tests: a store, a mock engine that keeps a record of what ran, and owners that can die at any step. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIds, createSecretCipher, type Id } from '@millhand/api'
import { loadPlans } from '@millhand/plans'
import { type ManualClock, manualClock } from '@millhand/process'
import type { Change, Collection, Document } from '@millhand/store'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { createLog } from '@millhand/telemetry'
import type { Driver } from './drivers/driver.ts'
import { createMockDriver } from './drivers/mock/mock-driver.ts'
import { createMockEngine, type MockEngine } from './drivers/mock/mock-engine.ts'
import { type InstanceRecord, type Instances, instancesSpec, replicaName } from './instance.ts'
import { type InstanceStoreDeps, insertInstance } from './instance-store.ts'
import { newInstance } from './new-instance.ts'
import type { ObservedAt } from './observation-times.ts'
import { Reconciler } from './reconciler.ts'

/** What a replica ran, as the engine knows it. */
export interface Run {
  readonly from: number
  readonly to: number
}

/**
 * What keeps replicas from being lost and doubled, taken out. `labels`: a driver knows those alone that it has started
 * itself. `names`: the engine starts a second replica of a name.
 */
export type Defect = 'labels' | 'names'

export class World {
  readonly clock: ManualClock = manualClock(Date.UTC(2026, 10, 26, 7, 30))
  readonly engine: MockEngine
  readonly deps: InstanceStoreDeps
  readonly instances: Instances
  readonly observedAt: Collection<ObservedAt>
  /** What each replica ran that is not there any more. */
  readonly ended = new Map<string, Run>()
  /** Calls of the store, by their names. */
  readonly calls = { get: 0, find: 0, write: 0 }
  /** The values of all events. */
  readonly events: { readonly type: string; readonly value: string }[] = []
  readonly #db: SqliteDatabase
  readonly #folder: string
  readonly #defect: Defect | undefined
  #doubles = 0

  private constructor(
    folder: string,
    hosts: Readonly<Record<string, Readonly<Record<string, number>>>>,
    defect?: Defect,
  ) {
    this.#folder = folder
    this.#defect = defect
    this.#db = openSqlite({ file: join(folder, 'millhand.db') })
    this.engine = createMockEngine({ clock: this.clock, hosts, pullMs: 20, startMs: 10 })
    const instances: Instances = this.#db.collection(instancesSpec)
    this.instances = this.#counting(instances)
    this.observedAt = this.#db.collection<ObservedAt>({ name: 'engine_observations', indexes: {} })
    this.deps = {
      instances: this.instances,
      clock: this.clock,
      ids: createIds({ now: () => this.clock.now() }),
      prices: loadPlans().prices,
      retentionMs: 30 * 86_400_000,
    }
    for (const host of this.engine.hosts.values()) {
      const remove = host.replicas.delete.bind(host.replicas)
      host.replicas.delete = name => {
        const replica = host.replicas.get(name)
        if (replica) {
          const to = replica.exit?.at ?? this.clock.now()
          this.ended.set(name, { from: replica.startedAt, to })
        }
        return remove(name)
      }
    }
  }

  static async open(
    hosts: Readonly<Record<string, Readonly<Record<string, number>>>>,
    defect?: Defect,
  ): Promise<World> {
    return new World(await mkdtemp(join(tmpdir(), 'millhand-instance-')), hosts, defect)
  }

  async close(): Promise<void> {
    await this.#db.close()
    await rm(this.#folder, { recursive: true })
  }

  /** A new instance; the reconciler has not seen it. */
  async create(given: {
    readonly tenant?: string
    readonly image?: string
    readonly gpu?: string
    readonly replicas?: number
  }) {
    const { tenant = 'acct_1/live', image = 'acme/server', gpu = 'cpu', replicas = 1 } = given
    const id: Id<'inst'> = this.deps.ids('inst')
    const document = newInstance({
      ...{ id, tenant, image, gpu, account_id: tenant.split('/')[0] ?? '', mode: 'live', plan: 'enterprise' },
      ...{ command: [], ports: [], metadata: {}, desired: { replicas }, created_at: this.clock.now() },
    })
    await insertInstance(this.deps, document)
    return id
  }

  async get(id: string, tenant = 'acct_1/live'): Promise<InstanceRecord> {
    const found = await this.instances.get(tenant, id)
    if (found === undefined) throw new Error(`there is no ${id}`)
    return found
  }

  /** An owner; `mortality` is asked before and after each thing that it does, and ends it by throwing. */
  owner(mortality: () => void = () => {}): Reconciler {
    const share = () => ({ weight: 1, maxReplicas: 100_000 })
    const instances = mortal(this.instances, mortality)
    return new Reconciler({
      ...{ ...this.deps, instances, observedAt: mortal(this.observedAt, mortality), share },
      mode: 'live',
      driver: this.#mortalDriver(mortality),
      cipher: createSecretCipher(new Uint8Array(32)),
      clock: this.clock,
      log: createLog({ level: 'error', write: () => {} }),
    })
  }

  /** So many passes of the owner, each followed by so long. */
  async pass(owner: Reconciler, { count = 1, ms = 1_000, signal = new AbortController().signal } = {}): Promise<void> {
    for (let n = 0; n < count; n++) {
      owner.engineChanged()
      await owner.pass(signal)
      await this.clock.advance(ms)
    }
  }

  /** What all runs together were metered, in milliseconds. */
  meteredMs(): number {
    const metered = this.events.filter(({ type }) => type === 'instance.metered')
    return metered.reduce((sum, { value }) => sum + JSON.parse(value).data.object.run_ms, 0)
  }

  /** The next write of an instance comes too late, for `other` was first. Returns whether it has come. */
  loseNextWrite(other: () => Promise<unknown> = async () => {}): () => boolean {
    const { write } = this.instances
    let isLost = false
    this.instances.write = async () => {
      this.instances.write = write
      await other()
      isLost = true
      return { kind: 'conflict', index: 'version' }
    }
    return () => isLost
  }

  /** The names of the replicas that run. */
  running(): string[] {
    const now = this.clock.now()
    return [...this.engine.hosts.values()].flatMap(({ replicas }) =>
      [...replicas].filter(([, { exit, startedAt }]) => exit === undefined && startedAt <= now).map(([name]) => name),
    )
  }

  #mortalDriver(mortality: () => void): Driver {
    const driver = createMockDriver(this.engine)
    const started = new Set<string>()
    const nameOf = (name: string) => (this.#defect === 'names' ? `${name}~${this.#doubles++}` : name)
    return {
      ...driver,
      create: async (replica, options) => {
        mortality()
        started.add(replica.name)
        const created = await driver.create({ ...replica, name: nameOf(replica.name) }, options)
        mortality()
        return created
      },
      remove: async (...args) => {
        mortality()
        await driver.remove(...args)
        mortality()
      },
      stop: async (...args) => {
        mortality()
        await driver.stop?.(...args)
        mortality()
      },
      list: async signal => {
        mortality()
        const { replicas, lostHosts } = await driver.list(signal)
        return {
          lostHosts,
          replicas: this.#defect === 'labels' ? replicas.filter(({ name }) => started.has(name)) : replicas,
        }
      },
    }
  }

  #counting(instances: Instances): Instances {
    return {
      ...instances,
      get: async (...args) => {
        this.calls.get++
        return await instances.get(...args)
      },
      find: async (...args) => {
        this.calls.find++
        return await instances.find(...args)
      },
      count: (...args) => instances.count(...args),
      write: async change => {
        this.calls.write++
        const result = await instances.write(change)
        if (result.kind === 'written') this.events.push(...change.events)
        return result
      },
    }
  }
}

function mortal<T extends Document, I extends string>(
  collection: Collection<T, I>,
  mortality: () => void,
): Collection<T, I> {
  return {
    get: async (...args) => {
      mortality()
      return await collection.get(...args)
    },
    find: async (...args) => {
      mortality()
      return await collection.find(...args)
    },
    count: (...args) => collection.count(...args),
    write: async (change: Change<T>) => {
      mortality()
      const result = await collection.write(change)
      mortality()
      return result
    },
  }
}

/** The name under which a replica was to be started: without `names` the engine has several of it. */
export const startedName = (name: string): string => name.replace(/~\d+$/, '')

/** The names of the replicas that an instance has by its record. */
export const namesOf = ({ id, slots }: InstanceRecord): string[] => slots.map(slot => replicaName(id, slot))
