import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ObservedReplica } from './drivers/driver.ts'
import { gapOf } from './gap.ts'
import type { InstanceRecord } from './instance.ts'
import { exited, hour, Life, observed, running, start } from './life.fixture.ts'
import { isAtRest } from './rest.ts'
import { transition } from './transition.ts'

const later = start + 1_000
const { instance: plain } = new Life(2).run()
const [first, second] = plain.slots.map(({ index, generation }) => observed(index, generation, start, running)) as [
  ObservedReplica,
  ObservedReplica,
]
const both = [first, second]

/** Whether it is at rest, and whether an observation changes it or finds something to do in the engine. */
function pass(instance: InstanceRecord, seen: readonly ObservedReplica[], now: number) {
  const sighting = {
    ...{ askedAt: now, now, before: start, isPrompt: true },
    ...{ lostHosts: new Set<string>(), ends: new Map<string, number>(), creating: new Set<string>() },
  }
  const { instance: after } = transition(instance, { kind: 'observe', seen, sighting }, 1_000)
  const { create, remove, cancel } = gapOf(after, seen, () => true, now)
  const isMoved = after !== instance || create.length + remove.length + cancel.length > 0
  return { isAtRest: isAtRest(instance, seen, sighting), isMoved }
}

describe('an instance', () => {
  it('is at rest while its replicas run as its record has them', () => {
    assert.deepEqual(pass(plain, both, later), { isAtRest: true, isMoved: false })
    assert.deepEqual(pass(plain, [second, first], later), { isAtRest: true, isMoved: false })
  })

  const moves: [string, Partial<InstanceRecord>, readonly ObservedReplica[], number?][] = [
    ['a replica has ended', {}, [first, { ...second, ...exited }]],
    ['a replica is not there any more', {}, [first]],
    ['there is a replica that no slot has', {}, [...both, { ...second, generation: 9, name: 'other' }]],
    ['a replica that no slot has is there in the place of one', {}, [first, { ...second, generation: 9 }]],
    ['a replica is on another host', {}, [first, { ...second, host: 'b' }]],
    ['a replica has another address', {}, [first, { ...second, address: 'b.invalid' }]],
    ['nobody can look whether a replica runs', {}, [first, { ...second, state: 'unknown' }]],
    ['more replicas are desired', { desired: { replicas: 3 } }, both],
    ['fewer replicas are desired', { desired: { replicas: 1 } }, both],
    [
      'the index of a replica is not the next one',
      { slots: plain.slots.map(s => ({ ...s, index: s.index * 2 })) },
      both,
    ],
    ['a request was not seen yet', { work: 'requested' }, both],
    ['it is over', { expires_at: later }, both],
    ['a full hour has passed', {}, both, start + hour],
  ]
  for (const [what, change, seen, now = later] of moves) {
    it(`is not at rest where ${what}`, () =>
      assert.deepEqual(pass({ ...plain, ...change }, seen, now), { isAtRest: false, isMoved: true }))
  }

  it('is not at rest while it ends', () => {
    const { instance } = new Life(2).run().delete()
    assert.equal(pass(instance, both, later).isAtRest, false)
  })
})
