import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt'
import type {
  ConsumerCredential,
  ConsumerUse,
  SyncConsumersRequest,
  SyncConsumersResponse,
} from '@millhand/api/gen/millhand/identity/v1/consumer_directory_service_pb.ts'
import { noAccount } from '@millhand/store'
import type { Log } from '@millhand/telemetry'
import { plansMessage } from '../accounts/account-events.ts'
import { allConsumers, type ConsumerDeps, type ConsumerRecord, endOf } from './consumer-record.ts'

const MINUTE_MS = 60_000
/** For so long a consumer that has ended is told why. */
const ENDED_KEPT_MS = 30 * 86_400_000

type SyncDeps = Pick<ConsumerDeps, 'accounts' | 'consumers' | 'clock'> & { readonly log: Log }

/** Tells services who may call for whom, and notes when consumers called. */
export const syncConsumers =
  ({ accounts, consumers, clock, log }: SyncDeps) =>
  async ({ accountIds, uses }: SyncConsumersRequest): Promise<SyncConsumersResponse> => {
    const noted = await Promise.allSettled(uses.map(use => note({ consumers, clock }, use)))
    // A store that takes no writes, as with a full disk, must not keep services from hearing of revocations.
    const failed = noted.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') log.warn('consumers.use_not_noted', { error: failed.reason })
    const now = clock.now()
    const [all, found] = await Promise.all([
      allConsumers(consumers),
      Promise.all(accountIds.map(id => accounts.get(noAccount, id))),
    ])
    return {
      $typeName: 'millhand.identity.v1.SyncConsumersResponse',
      credentials: all.filter(each => now - (endOf(each, now) ?? now) < ENDED_KEPT_MS).map(each => told(each, now)),
      accounts: found.flatMap(account => (account ? [plansMessage(account)] : [])),
    }
  }

/** Of one that has ended nothing counts but that. */
function told(consumer: ConsumerRecord, now: number): ConsumerCredential {
  const { id, sha256, methods, accounts, scopes, expires_at, revoked_at } = consumer
  const hasEnded = endOf(consumer, now) !== undefined
  return {
    $typeName: 'millhand.identity.v1.ConsumerCredential',
    id,
    sha256: Buffer.from(sha256, 'hex'),
    methods: hasEnded ? [] : [...methods],
    accounts: hasEnded ? [] : [...accounts],
    scopes: hasEnded ? [] : [...scopes],
    ...(expires_at !== undefined && { expiresAt: timestampFromMs(expires_at) }),
    revoked: revoked_at !== undefined,
  }
}

/** To the minute. Services tell of one use at the same time: where one is first, the others change nothing. */
async function note(
  { consumers, clock }: Pick<ConsumerDeps, 'consumers' | 'clock'>,
  { consumerId, usedAt }: ConsumerUse,
): Promise<void> {
  const consumer = await consumers.get(noAccount, consumerId)
  const at = usedAt && Math.min(timestampMs(usedAt), clock.now())
  if (!consumer || at === undefined) return
  const last_used_at = at - (at % MINUTE_MS)
  if (last_used_at <= (consumer.last_used_at ?? 0)) return
  // A conflict says that the consumer has changed just now: the next use is noted.
  const { version, ...document } = { ...consumer, last_used_at }
  await consumers.write({ kind: 'replace', version, document, events: [] })
}
