/**
 * Random operations on instances while their owner dies at every step or has another beside it, and the engine loses what
 * it has. Without what keeps replicas from being lost and doubled the same check fails.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { documentedChanges } from './documented-changes.fixture.ts'
import { createMockDriver } from './drivers/mock/mock-driver.ts'
import { type Defect, namesOf, type Run, startedName, World } from './engine.fixture.ts'
import { replicaName } from './instance.ts'
import { changeInstance } from './instance-store.ts'
import type { Reconciler } from './reconciler.ts'

const INSTANCES = 20
const OPERATIONS = 200
const DEATHS = 40
/** Of the event loop. */
const TURNS_OF_PASS = 6
const TOLERANCE_MS = 1_000

test('desired is observed after the last fault; nothing is lost, doubled or metered wrongly', {
  timeout: 600_000,
}, async t => {
  const seed = Number(process.env.MILLHAND_SEED ?? process.env.TEST_PART ?? Math.floor(Math.random() * 2 ** 31))
  t.diagnostic(`seed ${seed}`)
  await passStorm(seed)
})

/** One storm may miss a defect: how its steps fall between each other depends on the machine as well. */
const TRIES = 8

const defects: readonly Defect[] = ['labels', 'names']
for (const defect of defects)
  test(`the same check fails without ${defect}`, { timeout: 600_000 }, async t => {
    await assert.rejects(
      async () => {
        for (let seed = 1; seed <= TRIES; seed++) await passStorm(seed, defect)
      },
      (error: Error) => {
        t.diagnostic(error.message)
        return error instanceof assert.AssertionError
      },
    )
  })

async function passStorm(seed: number, defect?: Defect): Promise<void> {
  await using storm = await Storm.begin(seed, defect)
  await storm.run()
  await storm.settle()
  await storm.check()
}

/** An owner and how many steps it has to live. */
interface Life {
  readonly owner: Reconciler
  steps: number
  isOver: boolean
}

class Storm {
  readonly world: World
  readonly #random: () => number
  readonly #ids: string[] = []
  /** What was asked for last of each. */
  readonly #asked = new Map<string, number | 'end'>()
  readonly #ending = new AbortController()
  /** One; while there are faults also two that do not know of each other. */
  #lives: Life[] = []
  #deaths = 0
  #isFaulty = true

  private constructor(world: World, seed: number) {
    this.world = world
    this.#random = mulberry32(seed)
  }

  static async begin(seed: number, defect?: Defect): Promise<Storm> {
    return new Storm(await World.open({ a: { cpu: 40 }, b: { cpu: 40 } }, defect), seed)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort()
    await this.world.clock.advance(120_000)
    await this.world.close()
  }

  async run(): Promise<void> {
    for (let n = 0; n < INSTANCES; n++) await this.#create()
    for (let done = 0; done < OPERATIONS || this.#deaths < DEATHS; done++) {
      await Promise.all([this.#operateDuring(), this.#pass()])
    }
  }

  /** In the middle of a pass, so that a method and an owner change the same record. */
  async #operateDuring(): Promise<void> {
    for (let turns = this.#below(TURNS_OF_PASS); turns > 0; turns--) await setImmediate()
    await this.#operate()
  }

  /** The engine is whole again, and an owner lives. What nobody owns is there: of each instance, and of one that never was. */
  async settle(): Promise<void> {
    this.#isFaulty = false
    for (const life of this.#lives) life.isOver = true
    this.#lives = []
    for (const host of this.world.engine.hosts.keys()) this.world.engine.setLost(host, false)
    for (const id of [...this.#ids, this.world.deps.ids('inst')]) this.#createLate(id)
    for (let n = 0; n < 400; n++) await this.#pass()
  }

  async check(): Promise<void> {
    const owned = new Set<string>()
    for (const id of this.#ids) {
      const instance = await this.world.get(id)
      for (const name of namesOf(instance)) owned.add(name)
      const running = instance.slots.filter(({ state }) => state === 'running').length
      if (instance.ending) {
        assert.deepEqual(
          [instance.status, instance.slots],
          [instance.ending.isFailure ? 'failed' : 'terminated', []],
          id,
        )
        if (!instance.ending.isFailure) assert.equal(this.#asked.get(id), 'end', id)
      } else {
        assert.deepEqual([instance.status, running], ['running', this.#asked.get(id)], id)
      }
    }
    const running = this.world.running().map(startedName)
    assert.deepEqual(running.sort(), [...owned].sort(), 'what runs is what the records say')
    for (const id of this.#ids)
      await changeInstance(this.world.deps, 'acct_1/live', id, { kind: 'delete', now: this.world.clock.now() })
    for (let n = 0; n < 20; n++) await this.#pass()
    assert.deepEqual(this.world.running(), [])
    this.#checkMetering()
    this.#checkChanges()
  }

  /** Each change of status is one that the documentation has. */
  #checkChanges(): void {
    const last = new Map<string, string>()
    const table = documentedChanges()
    for (const { type, value } of this.world.events) {
      if (type === 'instance.metered' || type === 'instance.scaled') continue
      const { id, status } = JSON.parse(value).data.object
      const before = last.get(id)
      if (before !== undefined) assert.ok(table.has(`${before} ${status}`), `${id}: ${before} ${status}`)
      last.set(id, status)
    }
  }

  #checkMetering(): void {
    const metered = new Map<string, number>()
    for (const { type, value } of this.world.events) {
      if (type !== 'instance.metered') continue
      const { instance_id, replica: index, generation, run_ms } = JSON.parse(value).data.object
      const name = replicaName(instance_id, { index, generation })
      metered.set(name, (metered.get(name) ?? 0) + run_ms)
    }
    const ran = new Set([...this.world.ended.keys()].map(startedName))
    for (const name of metered.keys()) assert.ok(ran.has(name), `${name} was metered and never ran`)
    for (const [name, run] of this.world.ended) this.#checkRun(name, run, metered.get(startedName(name)) ?? 0)
  }

  #checkRun(name: string, { from, to }: Run, metered: number): void {
    const ran = Math.max(0, to - from)
    assert.ok(metered <= ran + TOLERANCE_MS, `${name} ran ${ran} ms, and ${metered} were metered`)
    if (!this.#lost.has(name))
      assert.ok(metered >= ran - TOLERANCE_MS, `${name} ran ${ran} ms, and ${metered} were metered`)
  }

  /** Replicas that were on a host which did not answer, that nobody owns, or that nobody has seen. */
  readonly #lost = new Set<string>()

  async #operate(): Promise<void> {
    const { world } = this
    const id = this.#ids[this.#below(this.#ids.length)] as string
    const now = world.clock.now()
    const running = world.running()
    const name = running[this.#below(running.length || 1)]
    const dice = this.#below(20)
    if (dice < 10) {
      const replicas = this.#below(5)
      await changeInstance(world.deps, 'acct_1/live', id, { kind: 'scale', replicas, now })
      if (this.#asked.get(id) !== 'end') this.#asked.set(id, replicas)
    } else if (dice === 10) {
      await changeInstance(world.deps, 'acct_1/live', id, { kind: 'delete', now })
      this.#asked.set(id, 'end')
      await this.#create()
    } else if (dice === 11) this.#createLate(this.#below(3) === 0 ? world.deps.ids('inst') : id)
    else if (dice < 14 && name !== undefined) world.engine.end(name, { exitCode: 1 })
    else if (dice < 17 && name !== undefined) await this.#vanish(name)
    else {
      const host = this.#below(2) === 0 ? 'a' : 'b'
      const found = world.engine.hosts.get(host)
      world.engine.setLost(host, dice === 17)
      if (dice === 17) for (const each of found?.replicas.keys() ?? []) this.#lost.add(each)
    }
  }

  async #create(): Promise<void> {
    const replicas = this.#below(4)
    const id = await this.world.create({ replicas })
    this.#ids.push(id)
    this.#asked.set(id, replicas)
  }

  /** What no owner has seen running by then is not metered. */
  async #vanish(name: string): Promise<void> {
    const [, id = '', generation] = /^(.*)-\d+-(\d+)(?:~\d+)?$/.exec(name) ?? []
    const { slots = [] } = (await this.world.instances.get('acct_1/live', id.replace('-', '_'))) ?? {}
    const slot = slots.find(each => each.generation === Number(generation))
    if (slot?.started_at === undefined) this.#lost.add(name)
    this.world.engine.vanish(name)
  }

  /** A call of an owner that has died reaches the engine now. */
  #createLate(instance: string): void {
    const replica = { instance, index: this.#below(3), generation: 1_000_000 + this.#below(1_000_000) }
    const name = replicaName(instance, replica)
    this.#lost.add(name)
    const spec = { ...replica, name, tenant: 'acct_1/live', gpu: 'cpu', image: 'acme/server', env: {}, ports: [] }
    void createMockDriver(this.world.engine)
      .create(spec, { signal: this.#ending.signal })
      .catch(() => {})
  }

  /** A pass of each owner, of a new one where none lives; then some time passes. */
  async #pass(): Promise<void> {
    const isEarly = this.#isFaulty && this.#lives.length === 1 && this.#below(20) === 0
    if (this.#lives.length === 0 || isEarly)
      this.#lives.push(this.#begin(this.#isFaulty ? this.#below(60) : Number.POSITIVE_INFINITY))
    await Promise.all(
      this.#lives.map(async ({ owner }) => {
        owner.engineChanged()
        await owner.pass(this.#ending.signal).catch(() => {})
      }),
    )
    await this.world.clock.advance(50 + this.#below(400))
    this.#lives = this.#lives.filter(({ isOver }) => !isOver)
  }

  #begin(steps: number): Life {
    const life = { steps, isOver: false }
    const owner = this.world.owner(() => {
      if (!life.isOver && life.steps-- > 0) return
      if (!life.isOver) this.#deaths++
      life.isOver = true
      throw new Error('the owner has died')
    })
    return Object.assign(life, { owner })
  }

  #below(most: number): number {
    return Math.floor(this.#random() * most)
  }
}

/** https://github.com/bryc/code/blob/master/jshash/PRNGs.md#mulberry32 */
function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
