import type { HandlerContext } from '@connectrpc/connect'
import { codeOf } from '@millhand/api'
import type { DailyQuotaClient } from '../quota/daily-quota-client.ts'

/**
 * Makes a method tell its caller, in the headers of its answer and of its refusals, what is left of the day's quota. Only
 * answers, and refusals for want of a place, wait for it to be known: a request that is wrong is refused without asking.
 */
export const withQuotaHeaders =
  (dailyQuota: Pick<DailyQuotaClient, 'tell' | 'tellKnown'>) =>
  <Request, Answer>(handle: (req: Request, call: HandlerContext) => Promise<Answer>) =>
  async (req: Request, call: HandlerContext): Promise<Answer> => {
    try {
      const answer = await handle(req, call)
      await dailyQuota.tell(call)
      return answer
    } catch (error) {
      if (codeOf(error) === 'daily_quota_exceeded') await dailyQuota.tell(call)
      else dailyQuota.tellKnown(call)
      throw error
    }
  }
