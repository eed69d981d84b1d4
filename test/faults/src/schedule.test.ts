import assert from 'node:assert/strict'
import { test } from 'node:test'
import { random } from './random.ts'
import { FAULTS_A_RUN, type Fault, schedule } from './schedule.ts'

const faultsOf = (seed: number): Fault[] => schedule(random(seed)).flatMap(step => step.faults)

test('a seed names one schedule, and another seed another', () => {
  assert.deepEqual(schedule(random(7)), schedule(random(7)))
  assert.notDeepEqual(schedule(random(7)), schedule(random(8)))
})

test('every schedule kills each kind of process, breaks the network in three ways, sets a clock and fills a disk', () => {
  for (let seed = 0; seed < 200; seed++) {
    const faults = faultsOf(seed)
    assert.equal(faults.length, FAULTS_A_RUN)
    const kinds = new Set(faults.map(fault => fault.kind))
    for (const kind of ['kill', 'pause', 'cut', 'hold', 'delay', 'clock', 'full disk'] as const)
      assert.ok(kinds.has(kind))
    const killed = faults.flatMap(fault => (fault.kind === 'kill' ? [fault.target] : []))
    for (const kind of [
      /^gateway/,
      /^identity/,
      /^billing/,
      /^batch/,
      /^owner|^other/,
      /^executor/,
      /^kafka/,
      /^mongo/,
    ])
      assert.ok(killed.some(target => kind.test(target)))
    assert.ok(faults.some(fault => fault.ms > 10_000))
  }
})

test('two faults at once are of two places', () => {
  for (let seed = 0; seed < 200; seed++) {
    for (const { faults } of schedule(random(seed))) {
      const places = faults.map(fault => ('link' in fault ? fault.link : fault.target))
      assert.equal(new Set(places).size, places.length)
    }
  }
})
