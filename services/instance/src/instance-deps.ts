import type { Cursors, KeyMode, SecretCipher } from '@millhand/api'
import type { Replicas } from '@millhand/lease'
import type { Plans } from '@millhand/plans'
import type { Clock } from '@millhand/process'
import type { Driver } from './drivers/driver.ts'
import type { ExecutorImage } from './executors.ts'
import type { GpuTypes } from './gpu-types.ts'
import type { InstanceStoreDeps } from './instance-store.ts'

/** The dependencies of the service's methods. */
export interface InstanceDeps extends InstanceStoreDeps {
  readonly clock: Clock
  readonly cursors: Cursors
  readonly cipher: SecretCipher
  readonly plans: Pick<Plans, 'computePlan' | 'prices'>
  /** What runs the replicas of each mode; none where nothing is configured. */
  readonly drivers: Readonly<Record<KeyMode, Driver | undefined>>
  readonly gpuTypes: Readonly<Record<KeyMode, GpuTypes>>
  readonly replicas: Replicas
  /** What executors in instances are made of, where the deployment has an image of them. */
  readonly executors?: ExecutorImage | undefined
  /** Hears that something is desired that was not before. */
  readonly onRequested: () => void
}
