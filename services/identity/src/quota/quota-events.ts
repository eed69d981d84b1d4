/** The events of quotas, ready for the log. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { type Ids, jsonWriter, publicEvent } from '@millhand/api'
import { QuotaSchema } from '@millhand/api/gen/millhand/identity/v1/quota_pb.ts'
import type { OutboxEvent } from '@millhand/store'
import { identityTopic } from '../identity-topic.ts'
import { type DailyRecord, dayAfter, usedOf } from './daily-quota-record.ts'

const writeQuota = jsonWriter(QuotaSchema)

/** The warning of a day, where its last change made one due. */
export function quotaEvents(
  { ids, now }: { readonly ids: Ids; readonly now: number },
  before: Pick<DailyRecord, 'warned'> | undefined,
  { tenant, day, warned, ...record }: Omit<DailyRecord, 'version'>,
): OutboxEvent[] {
  if (warned === undefined || warned.version === before?.warned?.version) return []
  const [accountId = '', mode] = tenant.split('/')
  const used = usedOf(record)
  const key = `quota_${accountId.slice('acct_'.length)}_${mode}_${day}`
  const object = writeQuota({
    $typeName: 'millhand.identity.v1.Quota',
    id: key,
    name: 'workforce_daily',
    day,
    limit: warned.limit,
    used,
    remaining: Math.max(0, warned.limit - used),
    resetsAt: timestampFromMs(dayAfter(day)),
    resourceVersion: warned.version,
  })
  const event = publicEvent({
    topic: identityTopic,
    key,
    id: ids('evt'),
    type: 'quota.warning',
    time: now,
    accountId,
    mode: mode === 'test' ? 'test' : 'live',
    resourceVersion: warned.version,
    object,
  })
  return [event]
}
