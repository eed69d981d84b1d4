import type { HandlerContext } from '@connectrpc/connect'
import type {
  GetReachedWorkforceLimitRequest,
  GetReachedWorkforceLimitResponse,
} from '@millhand/api/gen/millhand/billing/v1/workforce_usage_service_pb.ts'
import { principal } from '@millhand/rpc'
import type { LimitDeps } from '../limits/limit-check.ts'
import { LIMITS_ID } from '../limits/spending-limits.ts'
import { reachedLimits } from './spending-limits.ts'

/** Tells whether the account's limit of the workforce is reached. Batches ask, which gateways take for compute's. */
export const getReachedWorkforceLimit =
  ({ limits, clock }: Pick<LimitDeps, 'limits' | 'clock'>) =>
  async (_: GetReachedWorkforceLimitRequest, call: HandlerContext): Promise<GetReachedWorkforceLimitResponse> => {
    const record = await limits.get(principal(call).tenant, LIMITS_ID)
    const reached = record && reachedLimits(record, clock.now()).get('workforce')
    return { $typeName: 'millhand.billing.v1.GetReachedWorkforceLimitResponse', ...(reached && { reached }) }
  }
