/** The services that have the tasks of batches. */
import type { Client } from '@connectrpc/connect'
import type { BatchTaskService } from '@millhand/api/gen/millhand/batch/v1/batch_task_service_pb.ts'

/** Which of them has a task: one that names an employee is the workforce's. */
export type ItemKind = 'compute' | 'workforce'

export const itemKinds = ['compute', 'workforce'] as const satisfies readonly ItemKind[]

/** What the ids of its tasks begin with. */
export const idPrefixes = { compute: 'task', workforce: 'wtask' } as const satisfies Record<ItemKind, string>

export type TaskClients = Readonly<Record<ItemKind, Client<typeof BatchTaskService>>>
