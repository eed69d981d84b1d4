/** An internal consumer as identity stores it: never its secret, only the SHA-256 of that. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { fail, type Ids } from '@millhand/api'
import type { Consumer } from '@millhand/api/gen/millhand/identity/v1/consumer_pb.ts'
import type { Clock } from '@millhand/process'
import { type Collection, type CollectionSpec, type Document, noAccount } from '@millhand/store'
import type { Accounts } from '../accounts/account.ts'

/** It belongs to the operator, so to no account. Times are milliseconds since 1970. */
export interface ConsumerRecord extends Document {
  readonly name: string
  readonly methods: readonly string[]
  readonly accounts: readonly string[]
  readonly scopes: readonly string[]
  readonly prefix: string
  /** Hexadecimal. */
  readonly sha256: string
  readonly created_at: number
  readonly expires_at?: number
  readonly revoked_at?: number
  /** To the minute. */
  readonly last_used_at?: number
}

export type Consumers = Collection<ConsumerRecord>

export const consumersSpec = {
  name: 'consumers',
  indexes: {},
  refusedWhenFull: true,
} as const satisfies CollectionSpec

export interface ConsumerDeps {
  readonly accounts: Accounts
  readonly consumers: Consumers
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Ids
}

/** All of them, the oldest first. */
export async function allConsumers(consumers: Consumers): Promise<ConsumerRecord[]> {
  const all: ConsumerRecord[] = []
  for (;;) {
    const page = await consumers.find('primary', { equals: [noAccount], after: [all.at(-1)?.id ?? ''], limit: PAGE })
    all.push(...page)
    if (page.length < PAGE) return all
  }
}

const PAGE = 1_000

/** When it ended, of itself or because it was revoked; undefined while it has not. */
export function endOf({ expires_at, revoked_at }: ConsumerRecord, now: number): number | undefined {
  const end = Math.min(expires_at ?? Number.POSITIVE_INFINITY, revoked_at ?? Number.POSITIVE_INFINITY)
  return end <= now ? end : undefined
}

/** Fails with `not_found`. */
export async function foundConsumer(consumers: Consumers, id: string): Promise<ConsumerRecord> {
  const consumer = await consumers.get(noAccount, id)
  if (!consumer) throw fail('not_found', `There is no consumer \`${id.slice(0, 64)}\`.`)
  return consumer
}

/** `secret` only where it is shown. */
export const consumerMessage = (consumer: ConsumerRecord, secret?: string): Consumer => ({
  $typeName: 'millhand.identity.v1.Consumer',
  id: consumer.id,
  name: consumer.name,
  methods: [...consumer.methods],
  accounts: [...consumer.accounts],
  scopes: [...consumer.scopes],
  prefix: consumer.prefix,
  createdAt: timestampFromMs(consumer.created_at),
  ...(consumer.expires_at !== undefined && { expiresAt: timestampFromMs(consumer.expires_at) }),
  ...(consumer.revoked_at !== undefined && { revokedAt: timestampFromMs(consumer.revoked_at) }),
  ...(consumer.last_used_at !== undefined && { lastUsedAt: timestampFromMs(consumer.last_used_at) }),
  ...(secret !== undefined && { secret }),
})
