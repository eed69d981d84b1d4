/** What each of our own processes may call: the one place that says so. */
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { OwnerService } from '@millhand/api/gen/millhand/lease/v1/owner_service_pb.ts'
import { allOf } from './service-token.ts'

interface Grant {
  readonly methods: readonly string[]
  /** Whether it may say for which account it calls. */
  readonly accounts: boolean
}

export const grants = {
  /** What REST maps to, and who a key belongs to. */
  gateway: { methods: [allOf(ComputeService), allOf(FileService), allOf(IdentityService)], accounts: true },
  /** Work is all it knows of: it runs what others send in. */
  executor: { methods: [allOf(LeaseService)], accounts: false },
  /** Passes to the replica that owns the queues what only that one can answer. */
  compute: { methods: [allOf(ComputeService), allOf(LeaseService), allOf(OwnerService)], accounts: true },
} as const satisfies Record<string, Grant>

export type Granted = keyof typeof grants
