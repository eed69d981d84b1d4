import type { HandlerContext } from '@connectrpc/connect'
import { operationKey, principal } from '@millhand/rpc'
import type { SecretMaker } from '../secret/stored-secret.ts'

/** Who makes a secret by this call. */
export const makerOf = (call: Pick<HandlerContext, 'values'>): SecretMaker => ({
  key: principal(call).keyId,
  operation: call.values.get(operationKey),
})
