/** Compute on a database, without files and with a model that nobody runs: the test is its executor. */
import { createClient, createContextValues } from '@connectrpc/connect'
import { createCursors } from '@millhand/api'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Blobs } from '@millhand/blob'
import { singleReplica } from '@millhand/lease'
import { loadPlans } from '@millhand/plans'
import type { Clock } from '@millhand/process'
import { createDirectTransport, principalKey, serve } from '@millhand/rpc'
import type { Database } from '@millhand/store'
import type { EmissionsRecord, UnsettledFiles } from '@millhand/task'
import { createLog } from '@millhand/telemetry'
import {
  type ComputeOptions,
  createComputeService,
  emissionsSpec,
  type TaskIndex,
  type TaskRecord,
  tasksSpec,
  unsettledSpec,
} from './compute.ts'
import { echoModel } from './echo.fixture.ts'
import { noFiles, noModels } from './no-files.fixture.ts'

export interface Place {
  readonly db: Database
  /** Where large inputs lie. */
  readonly blobs: Blobs
  readonly clock: Clock
  readonly plans?: Partial<ComputeOptions['plans']>
  /** Whether the executor that the test is ends with the service. Default false: it stands for one of another process. */
  readonly isExecutorInProcess?: boolean
}

/** What compute's tests give it where they are about something else. */
export const plainOptions = (db: Database) => ({
  tasks: db.collection<TaskRecord, TaskIndex>(tasksSpec),
  emissions: db.collection<EmissionsRecord, never>(emissionsSpec),
  unsettled: db.collection<UnsettledFiles, never>(unsettledSpec),
  files: noFiles,
  models: echoModel,
  ownModels: noModels,
  textGeneration: { fault: undefined },
  plans: loadPlans(),
  cursors: createCursors(new Uint8Array(32)),
  targetFault: (url: string) => (url.startsWith('https://') ? undefined : 'is not https'),
  streamTokenSecret: new Uint8Array(32),
  log: createLog({ level: 'error' }),
  replicas: singleReplica,
  onRing: () => {},
  retentionMs: 86_400_000,
})

export function openCompute({ db, blobs, clock, plans, isExecutorInProcess = false }: Place) {
  const options = plainOptions(db)
  const compute = createComputeService({
    ...options,
    blobs,
    clock,
    plans: { ...options.plans, ...plans },
    random: () => 0,
  })
  const transport = createDirectTransport({ standsForNetwork: !isExecutorInProcess })
  serve(compute.routes, transport)
  const ending = new AbortController()
  const running = compute.run(ending.signal)
  return {
    compute: createClient(ComputeService, transport),
    leases: createClient(LeaseService, transport),
    async stop() {
      ending.abort()
      await running
    },
  }
}

/** The values of an account's call. */
export const callOf = (accountId: string, plan = 'enterprise', mode: 'live' | 'test' = 'live') =>
  createContextValues().set(principalKey, {
    accountId,
    mode,
    tenant: `${accountId}/${mode}`,
    scopes: new Set(['*']),
    keyId: 'key_a',
    plans: { compute: plan, developer: 'free', workforce: 'starter' },
  })
