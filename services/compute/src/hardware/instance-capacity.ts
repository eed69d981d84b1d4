/** What instances can run on, as the instance service tells it: shown with the GPU types of executors. */
import type { Client } from '@connectrpc/connect'
import { type KeyMode, modeOfWord, priceOf } from '@millhand/api'
import type { GpuType } from '@millhand/api/gen/millhand/compute/v1/gpu_type_pb.ts'
import type { Capacity, CapacityService } from '@millhand/api/gen/millhand/instance/v1/capacity_service_pb.ts'
import type { Clock } from '@millhand/process'

export type CapacityClient = Pick<Client<typeof CapacityService>, 'listCapacity'>

/** Nano-dollars of a second on a GPU type. */
type SecondPrice = (gpuType: string) => number

const KNOWN_MS = 5_000
const TIMEOUT_MS = 2_000

export interface InstanceCapacity {
  /** GPU types, by id, with what instances have of each; without that where the instance service is away. */
  addTo(types: readonly GpuType[], mode: KeyMode, priceOfSecond: SecondPrice): Promise<GpuType[]>
}

/** The instance service is asked at most every few seconds. */
export function createInstanceCapacity(
  client: CapacityClient | undefined,
  clock: Pick<Clock, 'monotonic'>,
): InstanceCapacity {
  let latest: Promise<readonly Capacity[]> = Promise.resolve([])
  let askedAt = Number.NEGATIVE_INFINITY

  function capacities(): Promise<readonly Capacity[]> {
    if (client === undefined || clock.monotonic() - askedAt < KNOWN_MS) return latest
    askedAt = clock.monotonic()
    latest = client.listCapacity({}, { timeoutMs: TIMEOUT_MS }).then(
      ({ data }) => data,
      () => [],
    )
    return latest
  }

  return {
    async addTo(types, mode, priceOfSecond) {
      const byId = new Map(types.map(type => [type.id, type]))
      const ofMode = (await capacities()).filter(each => each.mode === modeOfWord(mode))
      for (const { gpu, available, total, memoryMb } of ofMode) {
        const second = priceOfSecond(gpu)
        const instances = {
          $typeName: 'millhand.compute.v1.InstanceCapacity' as const,
          ...{ available, total, memoryMb, hourlyPrice: dollars(second * 3_600) },
        }
        byId.set(gpu, { ...(byId.get(gpu) ?? withoutExecutors(gpu, second)), instances })
      }
      return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
    },
  }
}

const withoutExecutors = (id: string, second: number): GpuType => ({
  $typeName: 'millhand.compute.v1.GpuType',
  ...{ id, name: id, available: 0, providers: [], price: dollars(second) },
})

const dollars = (nanos: number) => ({
  $typeName: 'millhand.type.v1.Money' as const,
  amount: priceOf(nanos),
  currency: 'USD',
})
