import type { Client } from '@connectrpc/connect'
import type { Cursors } from '@millhand/api'
import type { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import type { Blobs } from '@millhand/blob'
import type { ActiveLimits } from './active-limits.ts'
import type { BatchStoreDeps } from './batch-store.ts'
import type { TaskClients } from './item-kind.ts'

/** The dependencies of the service's methods. */
export interface BatchDeps extends BatchStoreDeps {
  readonly blobs: Blobs
  readonly tasks: TaskClients
  readonly files: Client<typeof FileService>
  readonly cursors: Cursors
  readonly limits: ActiveLimits
  /** Asks the owner for a pass: a batch is new, or is to be cancelled. */
  readonly wake: () => void
}
