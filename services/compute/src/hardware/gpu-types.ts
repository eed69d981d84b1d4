/** The GPUs of executors, at any replica: it asks the owner of the queues, which has them from claims. */

import { create } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import { type Fault, fail, type KeyMode, priceOf } from '@millhand/api'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import {
  type GpuType,
  type ListGpuTypesRequest,
  ListGpuTypesRequestSchema,
  type ListGpuTypesResponse,
} from '@millhand/api/gen/millhand/compute/v1/gpu_type_pb.ts'
import { forwardToOwner, type Replicas } from '@millhand/lease'
import { accelerators, providers } from '@millhand/model'
import type { Plans } from '@millhand/plans'
import type { Clock } from '@millhand/process'
import { principal } from '@millhand/rpc'
import { type GpuTypeInUse, type Hardware, KNOWN_MS } from './hardware.ts'
import { type CapacityClient, createInstanceCapacity } from './instance-capacity.ts'

export interface GpuTypes {
  /** Those of executors, and what instances can run on. */
  list(req: ListGpuTypesRequest, call: HandlerContext): Promise<ListGpuTypesResponse>
  /** What models of the caller can run on; the processor alone where the owner can't be asked. */
  enginesFor(call: HandlerContext): Promise<readonly string[]>
  /** The validation error of the provider in a request. Fails with `unavailable` where the providers are not known yet. */
  providerFault(asked: unknown, call: HandlerContext): Promise<Fault | undefined>
}

const param = 'parameters.provider'

export function createGpuTypes(deps: {
  readonly hardware: Hardware
  readonly replicas: Replicas
  readonly clock: Clock
  readonly plans: Pick<Plans, 'prices'>
  /** Where there is none, there are no instances. */
  readonly capacity?: CapacityClient | undefined
}): GpuTypes {
  const { hardware, replicas, clock, plans } = deps
  const secondPrice = (gpuType: string) => plans.prices.computeSecond(gpuType, '', clock.now())
  const capacity = createInstanceCapacity(deps.capacity, clock)

  const toMessage = ({ id, name, memoryMb, available, providers }: GpuTypeInUse): GpuType => ({
    $typeName: 'millhand.compute.v1.GpuType',
    ...{ id, name, available },
    ...(memoryMb > 0 && { memoryMb }),
    providers: [...providers],
    price: {
      $typeName: 'millhand.type.v1.Money',
      amount: priceOf(secondPrice(id)),
      currency: 'USD',
    },
  })
  const listHere = async (_: ListGpuTypesRequest, call: HandlerContext): Promise<ListGpuTypesResponse> => {
    const data = hardware.types(principal(call).mode).map(toMessage)
    return { $typeName: 'millhand.compute.v1.ListGpuTypesResponse', data, hasMore: false, complete: hardware.isKnown }
  }
  const ofExecutors = forwardToOwner(replicas, ComputeService.method.listGpuTypes, listHere)
  const remembered = new Remembered(clock)
  const typesFor = async (call: HandlerContext) => {
    const types = await ofExecutors(create(ListGpuTypesRequestSchema), call)
    const { mode } = principal(call)
    for (const { providers } of types.data) for (const provider of providers) remembered.add(mode, provider)
    return types
  }

  return {
    async list(req, call) {
      const types = await ofExecutors(req, call)
      return { ...types, data: await capacity.addTo(types.data, principal(call).mode, secondPrice) }
    },

    async enginesFor(call) {
      const { data } = await typesFor(call).catch(() => ({ data: [] }))
      const there = data.filter(({ available }) => available > 0).flatMap(type => type.providers)
      return ['cpu', ...accelerators.filter(provider => there.includes(provider))]
    },

    async providerFault(asked, call) {
      if (asked === undefined || asked === 'cpu') return undefined
      if (!accelerators.some(provider => provider === asked)) {
        const message = `\`${param}\` must be one of ${providers.join(', ')}.`
        return { param, code: 'not_in', message }
      }
      const { complete } = await typesFor(call)
      const known = remembered.of(principal(call).mode)
      if (known.includes(String(asked))) return undefined
      if (!complete) throw notKnown()
      const names = ['cpu', ...known].join(', ')
      return { param, code: 'not_available', message: `No executor has \`${asked}\`; there is ${names}.` }
    },
  }
}

const notKnown = () =>
  fail('unavailable', 'The hardware of the executors is not known yet. Try again.', { retryAfterS: 2 })

/** The providers that this replica has had from owners: a new owner does not know all of them yet. */
class Remembered {
  readonly #clock: Clock
  readonly #at = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(mode: KeyMode, provider: string): void {
    this.#at.set(`${mode}/${provider}`, this.#clock.monotonic())
  }

  of(mode: KeyMode): string[] {
    const now = this.#clock.monotonic()
    return accelerators.filter(provider => now - (this.#at.get(`${mode}/${provider}`) ?? -KNOWN_MS) < KNOWN_MS)
  }
}
