import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { freeDevices, places, roomOf } from './placement.ts'

const GIB = 2 ** 30
const sizes = { cpu: { cpus: 0.1, memoryBytes: GIB, pids: 1 }, h100: { cpus: 4, memoryBytes: 8 * GIB, pids: 1 } }
const room = roomOf({ NCPU: 8, MemTotal: 20 * GIB, Labels: ['other=1', 'millhand.gpu.h100=0,GPU-abc,2'] })
const cpu = { gpu: 'cpu', devices: [] }

describe('places on a host', () => {
  it('are bounded by processors, memory and GPUs, whichever ends first', () => {
    assert.equal(places(room, [], 'cpu', sizes), 20)
    assert.equal(places({ ...room, memoryBytes: 100 * GIB }, [], 'cpu', sizes), 80)
    assert.equal(places(room, [], 'h100', sizes), 2)
    assert.equal(places({ ...room, cpus: 100, memoryBytes: 100 * GIB }, [], 'h100', sizes), 3)
  })

  it('are taken by what is there, of any type', () => {
    assert.equal(places(room, Array(15).fill(cpu), 'cpu', sizes), 5)
    assert.equal(places(room, Array(15).fill(cpu), 'h100', sizes), 0)
    assert.equal(places(room, Array(50).fill(cpu), 'cpu', sizes), 0)
    assert.equal(places(room, [], 'a100', sizes), 0)
  })

  it('have GPUs that no other replica has', () => {
    assert.deepEqual(freeDevices(room, [{ gpu: 'h100', devices: ['GPU-abc'] }], 'h100'), ['0', '2'])
    assert.deepEqual(freeDevices(room, [], 'a100'), [])
  })
})
