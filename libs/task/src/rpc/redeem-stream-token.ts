import { keyRefOf } from '@millhand/api'
import type { StreamTokens } from '../stream-token.ts'

/** Says whose stream token it is. */
export const redeemStreamToken =
  ({ streamTokens }: { readonly streamTokens: StreamTokens }) =>
  (req: { readonly token: string; readonly taskId: string }) =>
    keyRefOf(streamTokens.redeem(req.token, req.taskId))
