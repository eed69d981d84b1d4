/** For tests: an instance as it lives through causes. */
import assert from 'node:assert/strict'
import type { Id } from '@millhand/api'
import type { FaultReason, ObservedReplica } from './drivers/driver.ts'
import { type InstanceRecord, replicaName } from './instance.ts'
import { newInstance } from './new-instance.ts'
import type { Sighting } from './slot.ts'
import { type Cause, type Transition, transition } from './transition.ts'

export const start = Date.UTC(2026, 10, 26, 7, 30)
export const hour = 3_600_000
export const id: Id<'inst'> = 'inst_01kaje5z1cf6tvnyxkkhbm3v8h'

/** Time goes on by itself. */
export class Life {
  now = start
  before = start
  instance: InstanceRecord
  readonly statuses: string[] = []
  readonly events: string[] = []
  readonly metered: Transition['slices'][number][] = []
  readonly pairs = new Set<string>()

  constructor(replicas = 1, more: Partial<InstanceRecord> = {}) {
    const document = newInstance({
      ...{ id, tenant: 'acct_1/live', account_id: 'acct_1', mode: 'live', plan: 'starter', gpu: 'cpu', image: 'a' },
      ...{ command: [], ports: [], metadata: {}, desired: { replicas }, created_at: start, ...more },
    })
    this.instance = { ...document, version: 1 }
    this.statuses.push(this.instance.status)
  }

  apply(cause: Cause): this {
    const { instance, slices, events } = transition(this.instance, cause, 1_000)
    if (instance.status !== this.instance.status) {
      this.pairs.add(`${this.instance.status} ${instance.status}`)
      this.statuses.push(instance.status)
    }
    assert.equal(instance.resource_version, this.instance.resource_version + events.length)
    this.instance = instance
    this.metered.push(...slices)
    this.events.push(...events)
    return this
  }

  /** The engine is asked after `ms`; `is` says what it answers of the replica at each index. */
  observe(is: Readonly<Record<number, Partial<ObservedReplica>>> = {}, ms = 100, more: Partial<Sighting> = {}): this {
    this.now += ms
    const seen = this.instance.slots.flatMap(({ index, generation }) => {
      const found = is[index]
      if (found === undefined || generation === 0) return []
      return [observed(index, generation, this.now, found)]
    })
    const sighting: Sighting = {
      ...{ askedAt: this.now, now: this.now, before: this.before, isPrompt: true },
      ...{ lostHosts: new Set<string>(), ends: new Map(), creating: new Set<string>(), ...more },
    }
    this.apply({ kind: 'observe', seen, sighting })
    this.before = this.now
    return this
  }

  admit(refusal?: string): this {
    const indexes = refusal === undefined ? this.instance.slots.map(({ index }) => index) : []
    return this.apply({ kind: 'admit', indexes, refusal, now: this.now })
  }

  refuse(reason: FaultReason): this {
    const { generation = 0 } = this.instance.slots.find(({ state }) => state === 'starting') ?? {}
    return this.apply({ kind: 'refuse', generation, fault: { reason, message: reason }, now: this.now })
  }

  scale(replicas: number, isLimited = false): this {
    return this.apply({ kind: 'scale', replicas, isLimited, now: this.now })
  }

  delete(): this {
    return this.apply({ kind: 'delete', now: this.now })
  }

  run(): this {
    const all = Object.fromEntries(this.instance.slots.map(({ index }) => [index, running]))
    return this.observe().admit().observe(all)
  }

  fail(runs: number): this {
    for (let n = 0; n < runs; n++) this.observe({ 0: exited }, 100).observe({}, 60_000).admit()
    return this
  }

  get reason() {
    return this.instance.reason
  }

  get seconds() {
    return this.metered.reduce((sum, { from, to }) => sum + (to - from), 0) / 1_000
  }
}

export const running = { state: 'running' } as const
export const exited = { state: 'exited', exitCode: 1 } as const

export const observed = (
  index: number,
  generation: number,
  now: number,
  is: Partial<ObservedReplica>,
): ObservedReplica => ({
  name: replicaName(id, { index, generation }),
  ...{ tenant: 'acct_1/live', instance: id, index, generation, gpu: 'cpu', host: 'a', ports: [], state: 'running' },
  ...(is.state === 'exited' ? { endedAt: now } : { startedAt: now }),
  ...is,
})
