/** The events of accounts, ready for the log: which plans they have from then on. Billing makes bills of them. */
import { type Ids, jsonWriter, publicEvent } from '@millhand/api'
import { AccountStatus } from '@millhand/api/gen/millhand/identity/v1/account_pb.ts'
import { type AccountPlans, AccountPlansSchema } from '@millhand/api/gen/millhand/identity/v1/plan_service_pb.ts'
import type { Draft, OutboxEvent } from '@millhand/store'
import { identityTopic } from '../identity-topic.ts'
import type { AccountRecord } from './account.ts'

const write = jsonWriter(AccountPlansSchema)

export const plansMessage = ({ id, plans, status }: Pick<AccountRecord, 'id' | 'plans' | 'status'>): AccountPlans => ({
  $typeName: 'millhand.identity.v1.AccountPlans',
  id,
  ...plans,
  status: status === 'active' ? AccountStatus.ACTIVE : AccountStatus.SUSPENDED,
})

export type AccountEventType = 'account.created' | 'account.plans_changed' | 'account.suspended' | 'account.resumed'

/** The account has these plans and this status from now on. */
export const accountEvent = (
  type: AccountEventType,
  account: Draft<AccountRecord>,
  { ids, now, requestId }: { readonly ids: Ids; readonly now: number; readonly requestId?: string | undefined },
): OutboxEvent =>
  publicEvent({
    topic: identityTopic,
    key: account.id,
    id: ids('evt'),
    type,
    time: now,
    accountId: account.id,
    mode: 'live',
    resourceVersion: account.resource_version,
    object: write(plansMessage(account)),
    requestId,
  })
