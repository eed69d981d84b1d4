import type { ListConsumersRequest, ListConsumersResponse } from '@millhand/api/gen/millhand/identity/v1/consumer_pb.ts'
import { noAccount } from '@millhand/store'
import { type ConsumerDeps, consumerMessage } from './consumer-record.ts'

/** The oldest first. */
export const listConsumers =
  ({ consumers }: Pick<ConsumerDeps, 'consumers'>) =>
  async ({ limit = 100, after }: ListConsumersRequest): Promise<ListConsumersResponse> => {
    const found = await consumers.find('primary', { equals: [noAccount], after: [after], limit: limit + 1 })
    return {
      $typeName: 'millhand.identity.v1.ListConsumersResponse',
      consumers: found.slice(0, limit).map(each => consumerMessage(each)),
      hasMore: found.length > limit,
    }
  }
