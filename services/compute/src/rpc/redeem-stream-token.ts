import { keyRefOf } from '@millhand/api'
import type { RedeemStreamTokenRequest } from '@millhand/api/gen/millhand/compute/v1/stream_token_service_pb.ts'
import type { ComputeDeps } from '../compute.ts'

/** Says whose stream token it is. */
export const redeemStreamToken =
  ({ streamTokens }: ComputeDeps) =>
  (req: RedeemStreamTokenRequest) =>
    keyRefOf(streamTokens.redeem(req.token, req.taskId))
