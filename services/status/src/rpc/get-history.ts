import type { GetHistoryResponse } from '@millhand/api/gen/millhand/status/v1/status_service_pb.ts'
import { noAccount } from '@millhand/store'
import { dayMessage, firstDay } from '../daily-history.ts'
import type { StatusDeps } from '../status-deps.ts'

/** Tells the days that are kept, the oldest first. */
export const getHistory =
  ({ days, clock }: StatusDeps) =>
  async (): Promise<GetHistoryResponse> => {
    const kept = await days.find('primary', { equals: [noAccount], order: 'asc', limit: MOST_DAYS })
    const first = firstDay(clock.now())
    return {
      $typeName: 'millhand.status.v1.GetHistoryResponse',
      days: kept.filter(({ id }) => id >= first).map(dayMessage),
    }
  }

/** More than are kept: some wait for their removal. */
const MOST_DAYS = 1_000
