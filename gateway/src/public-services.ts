import { BatchService } from '@millhand/api/gen/millhand/batch/v1/batch_service_pb.ts'
import { BillingService } from '@millhand/api/gen/millhand/billing/v1/billing_service_pb.ts'
import { UsageService } from '@millhand/api/gen/millhand/billing/v1/usage_service_pb.ts'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { ApiKeyService } from '@millhand/api/gen/millhand/identity/v1/api_key_service_pb.ts'
import { PlanService } from '@millhand/api/gen/millhand/identity/v1/plan_service_pb.ts'
import { InstanceService } from '@millhand/api/gen/millhand/instance/v1/instance_service_pb.ts'
import { EventService } from '@millhand/api/gen/millhand/webhook/v1/event_service_pb.ts'
import { WebhookService } from '@millhand/api/gen/millhand/webhook/v1/webhook_service_pb.ts'
import { WorkforceService } from '@millhand/api/gen/millhand/workforce/v1/workforce_service_pb.ts'

/** The services whose methods are REST, in the order in which the reference shows them. */
export const publicServices = [
  ComputeService,
  BatchService,
  InstanceService,
  FileService,
  WorkforceService,
  WebhookService,
  EventService,
  UsageService,
  BillingService,
  PlanService,
  ApiKeyService,
] as const
