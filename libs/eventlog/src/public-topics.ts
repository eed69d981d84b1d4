/** The public stream: which topic carries which events. Contract, section 9; the AsyncAPI file is made of it. */
import type { DescMessage } from '@bufbuild/protobuf'
import { BatchSchema } from '@millhand/api/gen/millhand/batch/v1/batch_pb.ts'
import { InvoiceSchema, SpendingLimitSchema } from '@millhand/api/gen/millhand/billing/v1/billing_pb.ts'
import { ModelSchema } from '@millhand/api/gen/millhand/compute/v1/model_pb.ts'
import { TaskSchema } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { ApiKeySchema } from '@millhand/api/gen/millhand/identity/v1/api_key_pb.ts'
import { AccountPlansSchema } from '@millhand/api/gen/millhand/identity/v1/plan_service_pb.ts'
import { QuotaSchema } from '@millhand/api/gen/millhand/identity/v1/quota_pb.ts'
import { InstanceSchema } from '@millhand/api/gen/millhand/instance/v1/instance_pb.ts'
import { InstanceUsageSchema } from '@millhand/api/gen/millhand/instance/v1/instance_usage_pb.ts'
import { WebhookSchema } from '@millhand/api/gen/millhand/webhook/v1/webhook_pb.ts'
import { WorkforceTaskSchema } from '@millhand/api/gen/millhand/workforce/v1/task_pb.ts'

export interface PublicTopic {
  /** Its name in Kafka, behind the deployment's prefix. */
  readonly name: string
  readonly about: string
  /** What its events carry; none while nothing is published on it. */
  readonly carries?: readonly Carried[]
}

/** What events carry as `data.object`, and which there are, with what each says. */
export interface Carried {
  readonly resource: DescMessage
  readonly events: Readonly<Record<string, string>>
}

export const publicTopics = {
  tasks: {
    name: 'millhand.tasks.v1',
    about: 'Every change of state of a task, and of an account’s own models.',
    carries: [
      {
        resource: TaskSchema,
        events: {
          'task.queued': 'A task was accepted; it is durable and waits for an executor.',
          'task.started': 'A run has begun: an executor holds the task’s lease. The status is `running`.',
          'task.retrying': 'A run was lost, or failed in a way that may pass. The status is `queued` again.',
          'task.cancelling': 'Its owner asked to cancel it while it ran; its executor is stopping it.',
          'task.succeeded': 'It ended with an output, which is in the event up to 64 KiB.',
          'task.failed': 'It ended with an error, or with no attempts left.',
          'task.cancelled': 'It was ended by its owner.',
          'task.expired': 'Its queue timeout passed before its first run began.',
        },
      },
      {
        resource: ModelSchema,
        events: {
          'model.created': 'A file was registered as a model of the account.',
          'model.deleted': 'A model of the account was deleted.',
        },
      },
    ],
  },
  batches: {
    name: 'millhand.batches.v1',
    about: 'Every change of the status of a batch.',
    carries: [
      {
        resource: BatchSchema,
        events: {
          'batch.created': 'A batch was accepted; all its tasks are durable. The status is `running`.',
          'batch.cancelling': 'Its owner asked to cancel it; its tasks are being stopped.',
          'batch.completed': 'Every task has ended. Some of them may have failed.',
          'batch.cancelled': 'It was ended by its owner. What was done by then is in its output file.',
          'batch.expired':
            'Its completion window passed before every task had begun. What was done by then is in its output file.',
        },
      },
    ],
  },
  workforce: {
    name: 'millhand.workforce.v1',
    about: 'Every change of state of a workforce task.',
    carries: [
      {
        resource: WorkforceTaskSchema,
        events: {
          'workforce.task.queued': 'A task was accepted; it is durable and waits for an executor.',
          'workforce.task.started': 'A run has begun. The status is `running`.',
          'workforce.task.retrying': 'A run was lost, or failed in a way that may pass. The status is `queued` again.',
          'workforce.task.cancelling': 'Its owner asked to cancel it while it ran; it is being stopped.',
          'workforce.task.succeeded': 'It ended with an output, which is in the event up to 64 KiB.',
          'workforce.task.failed': 'It ended with an error, or with no attempts left.',
          'workforce.task.cancelled': 'It was ended by its owner.',
          'workforce.task.expired': 'It waited for a day without a run.',
        },
      },
    ],
  },
  instances: {
    name: 'millhand.instances.v1',
    about: 'Every change of the status of an instance, and what its replicas ran.',
    carries: [
      {
        resource: InstanceSchema,
        events: {
          'instance.pending': 'An instance was accepted; its replicas wait for capacity.',
          'instance.provisioning': 'Its first replicas are being started.',
          'instance.running': 'As many replicas run as are desired.',
          'instance.scaling': 'Another number of replicas was asked for, and is not reached yet.',
          'instance.scaled': 'The number of replicas that was asked for is reached.',
          'instance.degraded': 'Fewer replicas run than are desired; its `reason` says why.',
          'instance.terminating': 'It is to end; its replicas are being stopped.',
          'instance.terminated': 'It has ended; nothing of it is left.',
          'instance.failed': 'It was given up; its `reason` says why.',
        },
      },
      {
        resource: InstanceUsageSchema,
        events: {
          'instance.metered':
            'A replica ran: from its start, or from a full hour, until the next full hour or its end. Billing counts these.',
        },
      },
    ],
  },
  identity: {
    name: 'millhand.identity.v1',
    about:
      'Every change of state of an API key or of the plans of an account, and warnings of quotas. None carries a key, or its hash.',
    carries: [
      {
        resource: ApiKeySchema,
        events: {
          'key.created': 'A key was made.',
          'key.rotated': 'A key was replaced by another one like it, and ends at its `expires_at`.',
          'key.revoked': 'A key was revoked. Within a second it works nowhere.',
        },
      },
      {
        resource: AccountPlansSchema,
        events: {
          'account.created': 'An account was made, with these plans.',
          'account.plans_changed': 'The account has other plans. They hold at once.',
          'account.suspended': 'Its keys are refused, and its plans are not charged from now on.',
          'account.resumed': 'Its keys work again, and its plans are charged from now on.',
        },
      },
      {
        resource: QuotaSchema,
        events: { 'quota.warning': 'So much of a day’s quota is used: once at 80 %, once when nothing is left.' },
      },
    ],
  },
  billing: {
    name: 'millhand.billing.v1',
    about: 'Invoices and their payments, and spending limits that are reached.',
    carries: [
      {
        resource: InvoiceSchema,
        events: {
          'invoice.finalized': 'A month has closed: its invoice is final. It is shown without its lines.',
          'invoice.paid': 'The payment processor has collected the invoice, or it was paid there.',
          'invoice.payment_failed': 'A payment of the invoice has failed. Another attempt may succeed.',
        },
      },
      {
        resource: SpendingLimitSchema,
        events: {
          'billing.limit_warning': 'Four fifths of a spending limit are spent. Once in a month, for each limit.',
          'billing.limit_reached':
            'A spending limit is reached: creates of the family are refused until the month ends. Once in a month, for each limit.',
        },
      },
    ],
  },
  webhooks: {
    name: 'millhand.webhooks.v1',
    about: 'Every change of state of a webhook. None carries its secret.',
    carries: [
      {
        resource: WebhookSchema,
        events: {
          'webhook.created': 'A webhook was made.',
          'webhook.updated': 'Its address, what it asks for, its description or its labels changed.',
          'webhook.enabled': 'It hears of events again. What it missed comes by a replay.',
          'webhook.disabled': 'It hears of nothing any more; its `disabled_reason` says why.',
          'webhook.secret_rotated': 'It has another secret. Until its `previous_secret_expires_at` both are good.',
          'webhook.deleted': 'It was deleted.',
        },
      },
    ],
  },
} as const satisfies Record<string, PublicTopic>
