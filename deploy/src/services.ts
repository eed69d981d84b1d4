/** The table of services: what each calls, may do and needs. All wiring is made from it, or checked against it. */
import type { DescService } from '@bufbuild/protobuf'
import { BatchService } from '@millhand/api/gen/millhand/batch/v1/batch_service_pb.ts'
import { BatchTaskService } from '@millhand/api/gen/millhand/batch/v1/batch_task_service_pb.ts'
import { BillingService } from '@millhand/api/gen/millhand/billing/v1/billing_service_pb.ts'
import { LedgerService } from '@millhand/api/gen/millhand/billing/v1/ledger_service_pb.ts'
import { PaymentService } from '@millhand/api/gen/millhand/billing/v1/payment_service_pb.ts'
import { UsageService } from '@millhand/api/gen/millhand/billing/v1/usage_service_pb.ts'
import { WorkforceUsageService } from '@millhand/api/gen/millhand/billing/v1/workforce_usage_service_pb.ts'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { StreamTokenService } from '@millhand/api/gen/millhand/compute/v1/stream_token_service_pb.ts'
import { TaskFileService } from '@millhand/api/gen/millhand/compute/v1/task_file_service_pb.ts'
import { AccountService } from '@millhand/api/gen/millhand/identity/v1/account_service_pb.ts'
import { ApiKeyService } from '@millhand/api/gen/millhand/identity/v1/api_key_service_pb.ts'
import { ConsumerDirectoryService } from '@millhand/api/gen/millhand/identity/v1/consumer_directory_service_pb.ts'
import { ConsumerService } from '@millhand/api/gen/millhand/identity/v1/consumer_service_pb.ts'
import { IdempotencyService } from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'
import { IdentityService } from '@millhand/api/gen/millhand/identity/v1/identity_service_pb.ts'
import { PlanService } from '@millhand/api/gen/millhand/identity/v1/plan_service_pb.ts'
import { QuotaService } from '@millhand/api/gen/millhand/identity/v1/quota_service_pb.ts'
import { RateService } from '@millhand/api/gen/millhand/identity/v1/rate_service_pb.ts'
import { CapacityService } from '@millhand/api/gen/millhand/instance/v1/capacity_service_pb.ts'
import { InstanceService } from '@millhand/api/gen/millhand/instance/v1/instance_service_pb.ts'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { OwnerService } from '@millhand/api/gen/millhand/lease/v1/owner_service_pb.ts'
import { StatusService } from '@millhand/api/gen/millhand/status/v1/status_service_pb.ts'
import { BacklogService } from '@millhand/api/gen/millhand/webhook/v1/backlog_service_pb.ts'
import { EventService } from '@millhand/api/gen/millhand/webhook/v1/event_service_pb.ts'
import { WebhookService } from '@millhand/api/gen/millhand/webhook/v1/webhook_service_pb.ts'
import { WorkforceService } from '@millhand/api/gen/millhand/workforce/v1/workforce_service_pb.ts'
import { publicTopics } from '@millhand/eventlog/public-topics'
import type { Grant } from '@millhand/rpc/network'

/** A holder of credentials. */
interface Caller {
  /**
   * The RPC services that it calls, under the name of the service that answers them. They are all that its token grants.
   * Under its own name stand those that a replica passes to the replica that owns the service.
   */
  readonly calls: Readonly<Record<string, readonly DescService[]>>
  /**
   * Whether it has a secret of its own: it seals with it, and signs the account for which it calls. A process without a
   * secret cannot name an account.
   */
  readonly secret: boolean
}

interface Service extends Caller {
  /** The services that it calls and is ready without: where one is away, only the calls to it fail. */
  readonly optional?: readonly string[]
  /** Whether it keeps documents in MongoDB. */
  readonly database: boolean
  /** Whether one replica at a time owns it, and does its background work. */
  readonly owned: boolean
  /** The Kafka topics that it writes, and creates where they are missing. */
  readonly writes: readonly string[]
  /** The Kafka topics that it reads. */
  readonly reads: readonly string[]
  /** The consumer groups that keep its offsets; without them it reads the topics by a group of its own each time. */
  readonly groups?: readonly string[]
  /** How long it may take to stop where all processes run on one machine, in milliseconds. */
  readonly stopMs: number
}

/** Wakes executors: there is work. */
export const dispatchTopic = 'millhand.dispatch.v1'

/** In the order in which documents and commands list them. `docs/adding-a-service.md` says what a new entry needs beside it. */
export const services = {
  /** REST maps to these methods. Admission asks whose a key or token is, what is left of its rate, and what came before. */
  gateway: {
    calls: {
      identity: [IdentityService, ApiKeyService, PlanService, RateService, IdempotencyService, StatusService],
      compute: [ComputeService, FileService, StreamTokenService],
      workforce: [WorkforceService],
      batch: [BatchService],
      instance: [InstanceService],
      billing: [UsageService, BillingService, PaymentService],
      webhook: [WebhookService, EventService, BacklogService],
    },
    optional: ['workforce', 'batch', 'instance', 'billing', 'webhook'],
    secret: true,
    database: false,
    owned: false,
    writes: [],
    reads: [],
    stopMs: 6_000,
  },
  /** Its secret makes API keys. It answers for the status service too, which shares its database. */
  identity: {
    calls: { identity: [RateService] },
    secret: true,
    database: true,
    owned: true,
    writes: [publicTopics.identity.name],
    reads: [],
    stopMs: 3_000,
  },
  compute: {
    calls: {
      compute: [ComputeService, LeaseService, OwnerService],
      identity: [ConsumerDirectoryService],
      instance: [CapacityService],
    },
    optional: ['identity', 'instance'],
    secret: true,
    database: true,
    owned: true,
    writes: [publicTopics.tasks.name, dispatchTopic],
    reads: [],
    stopMs: 6_000,
  },
  /** What it has accepted goes on without the services that it calls. */
  workforce: {
    calls: {
      workforce: [WorkforceService, LeaseService, OwnerService],
      identity: [QuotaService, ConsumerDirectoryService],
      compute: [FileService, TaskFileService],
      billing: [WorkforceUsageService],
    },
    optional: ['identity', 'compute', 'billing'],
    secret: true,
    database: true,
    owned: true,
    writes: [publicTopics.workforce.name, dispatchTopic],
    reads: [],
    stopMs: 6_000,
  },
  /** It makes the tasks of batches, follows them by their events, and writes their results as files. */
  batch: {
    calls: {
      identity: [ConsumerDirectoryService],
      compute: [BatchTaskService, FileService, TaskFileService],
      workforce: [BatchTaskService],
    },
    optional: ['identity', 'compute', 'workforce'],
    secret: true,
    database: true,
    owned: true,
    writes: [publicTopics.batches.name],
    reads: [publicTopics.tasks.name, publicTopics.workforce.name, publicTopics.identity.name],
    groups: ['batch-progress'],
    stopMs: 3_000,
  },
  /** It starts and ends containers. Its secret seals their environment. */
  instance: {
    calls: { instance: [InstanceService], identity: [ConsumerDirectoryService] },
    optional: ['identity'],
    secret: true,
    database: true,
    owned: true,
    writes: [publicTopics.instances.name],
    reads: [],
    stopMs: 5_000,
  },
  /** It runs input of customers, so it may lease work and nothing else. */
  executor: {
    calls: { compute: [LeaseService], workforce: [LeaseService] },
    optional: ['workforce'],
    secret: false,
    database: false,
    owned: false,
    writes: [],
    reads: [dispatchTopic],
    stopMs: 5_000,
  },
  /** Its secret signs cursors. */
  billing: {
    calls: { identity: [ConsumerDirectoryService] },
    optional: ['identity'],
    secret: true,
    database: true,
    owned: true,
    writes: [publicTopics.billing.name],
    reads: [
      publicTopics.tasks.name,
      publicTopics.workforce.name,
      publicTopics.instances.name,
      publicTopics.identity.name,
    ],
    groups: ['billing-compute', 'billing-workforce', 'billing-instances', 'billing-accounts'],
    stopMs: 3_000,
  },
  /** Its secret seals the secrets of webhooks. */
  webhook: {
    calls: { identity: [ConsumerDirectoryService] },
    optional: ['identity'],
    secret: true,
    database: true,
    owned: true,
    writes: [publicTopics.webhooks.name],
    reads: [
      publicTopics.tasks.name,
      publicTopics.batches.name,
      publicTopics.workforce.name,
      publicTopics.instances.name,
      publicTopics.identity.name,
      publicTopics.billing.name,
      publicTopics.webhooks.name,
    ],
    stopMs: 3_000,
  },
} as const satisfies Record<string, Service>

export type ServiceName = keyof typeof services

export const serviceNames = Object.keys(services) as ServiceName[]

/** Holders of credentials: the services, and a person who works on a deployment with the command line. */
export const callers = {
  ...services,
  operator: {
    calls: { identity: [AccountService, ApiKeyService, ConsumerService], billing: [LedgerService] },
    secret: true,
  },
} as const satisfies Record<string, Caller>

export type CallerName = keyof typeof callers

/** The other services that `name` calls. */
export type CalleeOf<Name extends CallerName> = Name extends CallerName
  ? Exclude<keyof (typeof callers)[Name]['calls'], Name> & ServiceName
  : never

export const calleesOf = <Name extends CallerName>(name: Name): CalleeOf<Name>[] =>
  Object.keys(callers[name].calls).filter(callee => callee !== name) as CalleeOf<Name>[]

/** Whether another process calls it. */
export const isCalled = (name: CallerName): boolean =>
  serviceNames.some(caller => calleesOf(caller).some(callee => callee === name))

/** Each service after those that it calls, so that it stops before them. The gateway, the first of the table, starts last. */
export function startSteps(): ServiceName[][] {
  const steps: ServiceName[][] = []
  let rest = serviceNames.toReversed()
  while (rest.length > 0) {
    const waiting: ReadonlySet<ServiceName> = new Set(rest)
    const step = rest.filter(name => !calleesOf(name).some(callee => waiting.has(callee)))
    if (step.length === 0) throw new Error(`${rest.join(', ')} call each other in a circle`)
    steps.push(step)
    rest = rest.filter(name => !step.includes(name))
  }
  return steps
}

/** What its token is issued for. */
export const grantOf = (name: CallerName): Grant => ({
  calls: [...new Set(Object.values<readonly DescService[]>(callers[name].calls).flat())],
  secret: callers[name].secret,
})

/** Whether it is ready while none of its replicas is there. */
export const isReadyWithout = (name: ServiceName, callee: ServiceName): boolean =>
  rows[name].optional?.includes(callee) ?? false

export const usesKafka = (name: ServiceName): boolean => rows[name].writes.length + rows[name].reads.length > 0

const rows: Readonly<Record<ServiceName, Service>> = services
