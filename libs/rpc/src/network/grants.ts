/** What each of our own processes may call: the one place that says so. */
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { OwnerService } from '@millhand/api/gen/millhand/lease/v1/owner_service_pb.ts'
import { allOf, type ServiceGrant } from './service-token.ts'

export const grants = {
  /** What REST maps to, and who a key belongs to. */
  gateway: { service: 'gateway', methods: [allOf(ComputeService), allOf(IdentityService)], accounts: true },
  /** Work is all it knows of: it runs what others send in. */
  executor: { service: 'executor', methods: [allOf(LeaseService)], accounts: false },
  /** Passes to the replica that owns the queues what only that one can answer. */
  compute: {
    service: 'compute',
    methods: [allOf(ComputeService), allOf(LeaseService), allOf(OwnerService)],
    accounts: true,
  },
} as const satisfies Record<string, ServiceGrant>
