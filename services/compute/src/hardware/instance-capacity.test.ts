import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GpuType } from '@millhand/api/gen/millhand/compute/v1/gpu_type_pb.ts'
import { Mode } from '@millhand/api/gen/millhand/type/v1/mode_pb.ts'
import { manualClock } from '@millhand/process'
import { type CapacityClient, createInstanceCapacity } from './instance-capacity.ts'

const capacity = (mode: Mode, gpu: string, available: number) => ({
  $typeName: 'millhand.instance.v1.Capacity' as const,
  ...{ mode, gpu, available, total: 8, memoryMb: 2_048 },
})
const h100: GpuType = {
  $typeName: 'millhand.compute.v1.GpuType',
  ...{ id: 'h100', name: 'NVIDIA H100', available: 2, providers: ['cuda'] },
}
/** A thousandth of a dollar, in nano-dollars. */
const price = () => 1_000_000

test('types of executors and what instances can run on are one list, asked for once in five seconds', async () => {
  const clock = manualClock(0)
  let asked = 0
  const client: CapacityClient = {
    async listCapacity() {
      if (++asked > 1) throw new Error('away')
      const data = [capacity(Mode.TEST, 'h100', 7), capacity(Mode.LIVE, 'h100', 3), capacity(Mode.LIVE, 'cpu', 5)]
      return { $typeName: 'millhand.instance.v1.ListCapacityResponse', data }
    },
  }
  const { addTo } = createInstanceCapacity(client, clock)
  const shown = async (mode: 'live' | 'test') =>
    (await addTo([h100], mode, price)).map(({ id, name, available, instances }) => [
      ...[id, name, available],
      instances && [instances.available, instances.hourlyPrice?.amount],
    ])

  const [live, sandbox] = await Promise.all([shown('live'), shown('test')])
  assert.deepEqual(live, [
    ['cpu', 'cpu', 0, [5, '3.600000']],
    ['h100', 'NVIDIA H100', 2, [3, '3.600000']],
  ])
  assert.deepEqual(sandbox, [['h100', 'NVIDIA H100', 2, [7, '3.600000']]])
  assert.equal(asked, 1)

  await clock.advance(5_000)
  assert.deepEqual(await shown('live'), [['h100', 'NVIDIA H100', 2, undefined]], 'the instance service is away')
  assert.equal(asked, 2)
})

test('without instances there are the types of executors', async () => {
  const { addTo } = createInstanceCapacity(undefined, manualClock(0))
  assert.deepEqual(await addTo([h100], 'live', price), [h100])
})
