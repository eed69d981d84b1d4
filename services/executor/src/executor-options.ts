/** What an executor is made of. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Client } from '@connectrpc/connect'
import type { DeviceSchema, LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import type { Loadable, Loadables, Runner } from '@millhand/child-process'
import type { ModelPackage } from '@millhand/model'
import type { Clock } from '@millhand/process'
import type { Log } from '@millhand/telemetry'
import type { LeasedModels } from './leased-models.ts'

export interface ExecutorOptions<L extends Loadable = ModelPackage> {
  readonly leases: Client<typeof LeaseService>
  readonly runner: Runner<L>
  /** What the groups of the pool are. */
  readonly models: Loadables<L>
  /** What else there is to run, which comes with the runs. */
  readonly leasedModels?: LeasedModels<L>
  readonly pool: string
  /** The GPU that its runs compute on, by which provider. */
  readonly device?: MessageInitShape<typeof DeviceSchema>
  /** Set where each run has a process to itself: those that take long. */
  readonly ownProcesses?: true
  /** How many runs at once, over all of them. */
  readonly slots: number
  /** What all processes may hold before idle ones are unloaded. */
  readonly memoryLimitBytes: number
  readonly clock: Clock
  readonly log: Log
}
