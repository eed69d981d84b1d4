import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Device } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { manualClock } from '@millhand/process'
import { Hardware } from './hardware.ts'

const device = (id: string, provider = 'cuda'): Device => ({
  $typeName: 'millhand.lease.v1.Device',
  ...{ id, provider, gpuType: 'nvidia-h200', name: 'NVIDIA H200', memoryMb: 143_771 },
})
const shown = { id: 'nvidia-h200', name: 'NVIDIA H200', memoryMb: 143_771 }

it('counts pieces of hardware, whoever has them, apart for the sandbox', () => {
  const hardware = new Hardware(manualClock(0))
  hardware.claimed('live', 'exec_a', device('GPU-1'))
  hardware.claimed('live', 'exec_b', device('GPU-1', 'webgpu'))
  hardware.claimed('live', 'exec_c', device('GPU-2'))
  hardware.claimed('test', 'exec_d', device('GPU-1'))
  assert.deepEqual(hardware.types('live'), [{ ...shown, available: 2, providers: ['cuda', 'webgpu'] }])
  assert.deepEqual(hardware.types('test'), [{ ...shown, available: 1, providers: ['cuda'] }])
})

it('is there while an executor claims or renews, and known for ten minutes after', async () => {
  const clock = manualClock(0)
  const hardware = new Hardware(clock)
  hardware.claimed('live', 'exec_a', device('GPU-1'))
  const available = () => hardware.types('live').map(type => type.available)
  await clock.advance(50_000)
  hardware.renewed('exec_a')
  hardware.renewed('exec_unknown')
  await clock.advance(50_000)
  assert.deepEqual(available(), [1])
  await clock.advance(20_000)
  assert.deepEqual(available(), [0])
  await clock.advance(600_000)
  assert.deepEqual(available(), [])
})

it('is not known before executors have had time to tell', async () => {
  const clock = manualClock(0)
  const hardware = new Hardware(clock)
  assert.equal(hardware.isKnown, false)
  await clock.advance(10_000)
  assert.equal(hardware.isKnown, true)
  hardware.begin()
  assert.equal(hardware.isKnown, false)
})
