import type { Consumer, RevokeConsumerRequest } from '@millhand/api/gen/millhand/identity/v1/consumer_pb.ts'
import { type ConsumerDeps, consumerMessage, foundConsumer } from './consumer-record.ts'

/** Revokes a consumer; services hear of it when they next ask. Idempotent. */
export const revokeConsumer =
  ({ consumers, clock }: Pick<ConsumerDeps, 'consumers' | 'clock'>) =>
  async ({ id }: RevokeConsumerRequest): Promise<Consumer> => {
    for (;;) {
      const before = await foundConsumer(consumers, id)
      if (before.revoked_at !== undefined) return consumerMessage(before)
      const { version, ...document } = { ...before, revoked_at: clock.now() }
      const result = await consumers.write({ kind: 'replace', version, document, events: [] })
      if (result.kind === 'written') return consumerMessage({ ...document, version: result.version })
    }
  }
