/** Instances: containers that a user launches, scales and ends. docs/decisions/instances.md */
import { type Cursors, createIds, createSecretCipher, type KeyMode } from '@millhand/api'
import { CapacityService } from '@millhand/api/gen/millhand/instance/v1/capacity_service_pb.ts'
import { InstanceService } from '@millhand/api/gen/millhand/instance/v1/instance_service_pb.ts'
import type { Replicas } from '@millhand/lease'
import type { Plans } from '@millhand/plans'
import type { Clock } from '@millhand/process'
import type { Routes } from '@millhand/rpc'
import { type Database, sweep } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import type { Driver } from './drivers/driver.ts'
import type { ExecutorImage } from './executors.ts'
import { createGpuTypes } from './gpu-types.ts'
import { type Instances, instancesSpec } from './instance.ts'
import type { InstanceDeps } from './instance-deps.ts'
import type { ObservedAt } from './observation-times.ts'
import { Reconciler } from './reconciler.ts'
import { admitExecutor, checkExecutor } from './rpc/admit-executor.ts'
import { deleteInstance, scaleInstance } from './rpc/change-instances.ts'
import { createInstance } from './rpc/create-instance.ts'
import { listCapacity } from './rpc/list-capacity.ts'
import { getInstance, listInstanceEvents, listInstances } from './rpc/read-instances.ts'
import { watchInstanceLogs } from './rpc/watch-instance-logs.ts'

export type { ExecutorImage } from './executors.ts'

export interface InstanceOptions {
  readonly db: Database
  /** What runs the replicas of each mode; none where nothing is configured. */
  readonly drivers: Readonly<Record<KeyMode, Driver | undefined>>
  readonly plans: Pick<Plans, 'computePlan' | 'prices'>
  readonly cursors: Cursors
  /** 32 bytes, the same for all replicas of the service. */
  readonly sealingKey: Uint8Array
  readonly clock: Clock
  readonly log: Log
  readonly replicas: Replicas
  /** How long an instance is kept that has ended, in milliseconds. */
  readonly retentionMs: number
  /** What executors in instances are made of, where the deployment has an image of them. */
  readonly executors?: ExecutorImage | undefined
}

const SWEEP_MS = 3_600_000
const modes = ['live', 'test'] as const

export function createInstanceService(options: InstanceOptions) {
  const { db, drivers, plans, sealingKey, clock, log } = options
  const instances: Instances = db.collection(instancesSpec)
  const observedAt = db.collection<ObservedAt>({ name: 'engine_observations', indexes: {} })
  let reconcilers: readonly Reconciler[] = []
  const deps: InstanceDeps = {
    ...{ ...options, instances, prices: plans.prices },
    cipher: createSecretCipher(sealingKey),
    ids: createIds({ now: () => clock.now() }),
    gpuTypes: { live: createGpuTypes(drivers.live, clock), test: createGpuTypes(drivers.test, clock) },
    onRequested() {
      for (const reconciler of reconcilers) reconciler.wake()
    },
  }
  const share = (plan: string) => {
    const { weight, max_replicas: maxReplicas } = plans.computePlan(plan)
    return { weight, maxReplicas }
  }

  return {
    routes(router: Routes): void {
      router.service(InstanceService, {
        createInstance: createInstance(deps),
        getInstance: getInstance(deps),
        listInstances: listInstances(deps),
        scaleInstance: scaleInstance(deps),
        deleteInstance: deleteInstance(deps),
        listInstanceEvents: listInstanceEvents(deps),
        watchInstanceLogs: watchInstanceLogs(deps),
      })
      router.service(CapacityService, {
        listCapacity: listCapacity(deps),
        admitExecutor: admitExecutor(deps),
        checkExecutor: checkExecutor(deps),
      })
    },
    /** What the owner does until the signal ends. */
    async run(signal: AbortSignal): Promise<void> {
      reconcilers = modes.flatMap(mode => {
        const driver = drivers[mode]
        return driver === undefined ? [] : [new Reconciler({ ...deps, mode, driver, observedAt, share, log })]
      })
      const range = () => ({ equals: [], before: [clock.now()] })
      await Promise.all([
        ...reconcilers.map(reconciler => reconciler.run(signal)),
        sweep(
          { name: instancesSpec.name, collection: instances, index: 'ended', range, everyMs: SWEEP_MS, clock, log },
          signal,
        ),
      ])
    },
  }
}
