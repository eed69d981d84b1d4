/** What each of our own processes may call: the one place that says so. */
import { UsageService } from '@millhand/api/gen/millhand/billing/v1/usage_service_pb.ts'
import { WorkforceUsageService } from '@millhand/api/gen/millhand/billing/v1/workforce_usage_service_pb.ts'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { StreamTokenService } from '@millhand/api/gen/millhand/compute/v1/stream_token_service_pb.ts'
import { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import { AccountService } from '@millhand/api/gen/millhand/identity/v1/account_service_pb.ts'
import { ApiKeyService } from '@millhand/api/gen/millhand/identity/v1/api_key_service_pb.ts'
import { IdempotencyService } from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'
import { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { QuotaService } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import { RateService } from '@millhand/api/gen/millhand/identity/v1/rate_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { OwnerService } from '@millhand/api/gen/millhand/lease/v1/owner_service_pb.ts'
import { StatusService } from '@millhand/api/gen/millhand/status/v1/status_service_pb.ts'
import { BacklogService } from '@millhand/api/gen/millhand/webhook/v1/backlog_service_pb.ts'
import { EventService } from '@millhand/api/gen/millhand/webhook/v1/event_service_pb.ts'
import { WebhookService } from '@millhand/api/gen/millhand/webhook/v1/webhook_service_pb.ts'
import { WorkforceService } from '@millhand/api/gen/millhand/workforce/v1/workforce_service_pb.ts'
import { allOf } from './service-token.ts'

interface Grant {
  readonly methods: readonly string[]
  /**
   * Whether it has a secret of its own: it seals with it, and signs for which account it calls. Without one it can name
   * none; with one it can for what `methods` allow.
   */
  readonly secret: boolean
}

export const grants = {
  /** What REST maps to, and what admission asks: whose key or stream token it is, how much is left, what was sent before. */
  gateway: {
    methods: [
      allOf(ComputeService),
      allOf(FileService),
      allOf(StreamTokenService),
      allOf(IdentityService),
      allOf(ApiKeyService),
      allOf(RateService),
      allOf(IdempotencyService),
      allOf(WorkforceService),
      allOf(UsageService),
      allOf(WebhookService),
      allOf(EventService),
      allOf(BacklogService),
      allOf(StatusService),
    ],
    secret: true,
  },
  /** Passes to the replica that owns the windows of rates what only that one can answer. Its secret makes API keys. */
  identity: { methods: [allOf(RateService)], secret: true },
  /** A person with the command line: makes accounts and their keys. */
  operator: { methods: [allOf(AccountService), allOf(ApiKeyService)], secret: true },
  /** Work is all it knows of: it runs what others send in. */
  executor: { methods: [allOf(LeaseService)], secret: false },
  /** Passes to the replica that owns the queues what only that one can answer. */
  compute: { methods: [allOf(ComputeService), allOf(LeaseService), allOf(OwnerService)], secret: true },
  /** The same of its own queues; places of the day's quota, files of accounts, and sums of what employees did. */
  workforce: {
    methods: [
      allOf(WorkforceService),
      allOf(LeaseService),
      allOf(OwnerService),
      allOf(QuotaService),
      allOf(FileService),
      allOf(TaskFileService),
      allOf(WorkforceUsageService),
    ],
    secret: true,
  },
} as const satisfies Record<string, Grant>

export type Granted = keyof typeof grants
