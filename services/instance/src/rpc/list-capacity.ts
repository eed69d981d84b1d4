import { type KeyMode, modeOfWord } from '@millhand/api'
import type { ListCapacityResponse } from '@millhand/api/gen/millhand/instance/v1/capacity_service_pb.ts'
import type { Capacity } from '../drivers/driver.ts'
import type { InstanceDeps } from '../instance-deps.ts'

const modes = ['live', 'test'] as const

/** Lists what the engines of both modes have. Any replica can: it is the driver that knows. */
export const listCapacity =
  ({ gpuTypes }: Pick<InstanceDeps, 'gpuTypes'>) =>
  async (): Promise<ListCapacityResponse> => {
    const found = await Promise.all(
      modes.map(async mode => (await gpuTypes[mode].list()).map(capacity => message(mode, capacity))),
    )
    return { $typeName: 'millhand.instance.v1.ListCapacityResponse', data: found.flat() }
  }

const message = (mode: KeyMode, { gpu, free, total, memoryBytes }: Capacity) => ({
  $typeName: 'millhand.instance.v1.Capacity' as const,
  mode: modeOfWord(mode),
  ...{ gpu, available: free, total },
  memoryMb: Math.round(memoryBytes / 2 ** 20),
})
