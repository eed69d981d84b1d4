import type { Client } from '@connectrpc/connect'
import type { WorkforceUsageService } from '@millhand/api/gen/millhand/billing/v1/workforce_usage_service_pb.ts'
import type { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import type { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import type { Plans } from '@millhand/plans'
import type { TargetFault, TaskDeps } from '@millhand/task'
import type { Employees } from './employees.ts'
import type { Engines } from './engine-choice.ts'
import type { DailyQuotaClient } from './quota/daily-quota-client.ts'
import type { TaskRecord } from './task.ts'

/** The dependencies of the workforce's methods. */
export interface WorkforceDeps extends TaskDeps<TaskRecord>, Engines {
  readonly employees: Employees
  readonly files: Client<typeof FileService>
  readonly taskFiles: Client<typeof TaskFileService>
  readonly usage: Client<typeof WorkforceUsageService>
  readonly dailyQuota: DailyQuotaClient
  readonly plans: Pick<Plans, 'workforcePlan'>
  readonly targetFault: TargetFault
}
