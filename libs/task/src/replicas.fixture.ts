/** Replicas of a service of tasks over one store, each with a clock of its own. */
import { type Client, createClient, createContextValues, type Transport } from '@connectrpc/connect'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import type { Lease } from '@millhand/api/gen/millhand/lease/v1/lease_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Blobs } from '@millhand/blob'
import type { Clock } from '@millhand/process'
import { createDirectTransport, drainingKey, principalKey, serve } from '@millhand/rpc'
import type { Collection } from '@millhand/store'
import { createLog } from '@millhand/telemetry'
import type { Errand } from './errand.fixture.ts'
import { createErrandService } from './errand-service.fixture.ts'
import type { EmissionsRecord } from './stream/emissions.ts'

export type Tasks = Collection<Errand, 'ready' | 'due'>

export interface Replica {
  readonly tasks: Client<typeof ComputeService>
  readonly leases: Client<typeof LeaseService>
  /** Becomes the owner, in its own eyes and in those of all others. */
  own(): void
  /** Is the owner no more, and tells nobody anything. */
  disown(): Promise<void>
  /** Which address it takes for the owner's, where that is not the truth. */
  belief?: string
  /** Tells each call to it that its server stops. */
  stop(): void
}

export interface Stores {
  readonly tasks: Tasks
  readonly emissions: Collection<EmissionsRecord, never>
  readonly blobs: Blobs
}

export function createReplicas({ tasks, emissions, blobs }: Stores) {
  const network = new Map<string, Transport>()
  const all: Replica[] = []
  let owner: string | undefined

  function start(address: string, clock: Clock): Replica {
    const service = createErrandService({
      tasks: {
        get: (tenant, id) => tasks.get(tenant, id),
        find: (index, query) => tasks.find(index, query),
        count: (...words) => tasks.count(...words),
        async write(change) {
          const result = await tasks.write(change)
          const { tenant, id } = change.kind === 'remove' ? change : change.document
          if (result.kind === 'written') void service.tellOwner([{ collection: 'errands', tenant, id }])
          return result
        },
      },
      emissions,
      blobs,
      clock,
      log: createLog({ level: 'error' }),
      replicas: {
        owner() {
          const believed = replica.belief ?? owner
          if (believed === undefined) return undefined
          return believed === address ? 'here' : { address: believed }
        },
        isVacant: () => owner === undefined,
        peer: at => network.get(at) as Transport,
      },
      onRing: async documents => {
        for (const { tenant, id } of documents) {
          const task = await tasks.get(tenant, id)
          if (task) service.heard(task)
        }
      },
      retentionMs: 86_400_000,
    })
    const draining = new AbortController()
    const transport = createDirectTransport({
      standsForNetwork: true,
      interceptors: [
        next => request => {
          request.contextValues.set(drainingKey, draining.signal)
          return next(request)
        },
      ],
    })
    serve(service.routes, transport)
    network.set(address, transport)
    let owning = new AbortController()
    let running: Promise<void> | undefined
    const replica: Replica = {
      tasks: createClient(ComputeService, transport),
      leases: createClient(LeaseService, transport),
      own() {
        owner = address
        owning = new AbortController()
        running = service.run(owning.signal)
      },
      async disown() {
        if (owner === address) owner = undefined
        owning.abort()
        await running
      },
      stop: () => draining.abort(),
    }
    all.push(replica)
    return replica
  }

  return {
    start,
    /** By address: what a replica reaches there. */
    network,
    async end() {
      for (const replica of all) await replica.disown()
    },
  }
}

/** For an account. */
export const caller = (accountId: string) => ({
  contextValues: createContextValues().set(principalKey, {
    accountId,
    mode: 'live',
    tenant: `${accountId}/live`,
    scopes: new Set(['*']),
    keyId: 'key_a',
    plans: { compute: 'enterprise', developer: 'enterprise', workforce: 'enterprise' },
  }),
})
export const as = caller('acct_a')

export const create = (at: Replica, by = as) =>
  at.tasks.createTask({ type: TaskType.INFERENCE, model: 'walk', input: 'hello' }, by)

/** The leases of one run, if there is one. */
export async function claim(at: Replica, waitMs = 5_000, executorId = 'exec_a'): Promise<Lease[]> {
  const { runs } = await at.leases.claim({ executorId, pool: 'live/errands', runs: 1, waitMs })
  return runs.flatMap(run => run.leases)
}
