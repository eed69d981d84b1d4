import type { Cursors } from '@millhand/api'
import type { Catalogue } from '@millhand/model'
import type { Plans } from '@millhand/plans'
import type { TargetFault, TaskDeps } from '@millhand/task'
import type { Files } from './files/files.ts'
import type { GpuTypes } from './hardware/gpu-types.ts'
import type { OwnModels } from './models/own-models.ts'
import type { TaskModels } from './models/task-models.ts'
import type { TextGeneration } from './models/text-generation.ts'
import type { TaskRecord } from './task.ts'

/** The dependencies of compute's methods. */
export interface ComputeDeps extends TaskDeps<TaskRecord> {
  readonly files: Files
  /** Those of the deployment. */
  readonly models: Catalogue
  readonly ownModels: OwnModels
  readonly taskModels: TaskModels
  readonly gpuTypes: GpuTypes
  readonly textGeneration: TextGeneration
  readonly plans: Pick<Plans, 'computePlan'>
  readonly targetFault: TargetFault
  readonly cursors: Cursors
}
