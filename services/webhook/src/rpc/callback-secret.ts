import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext } from '@connectrpc/connect'
import { fail, SecretUnreadable } from '@millhand/api'
import type {
  CallbackSecret,
  GetCallbackSecretRequest,
  RotateCallbackSecretRequest,
} from '@millhand/api/gen/millhand/webhook/v1/webhook_pb.ts'
import { principal } from '@millhand/rpc'
import type { CallbackSecretRecord } from '../secret/callback-secret.ts'
import type { WebhookDeps } from '../webhook-deps.ts'
import { makerOf } from './secret-maker.ts'

/** Shows what callbacks are signed with. */
export const getCallbackSecret =
  (deps: WebhookDeps) =>
  async (_: GetCallbackSecretRequest, call: HandlerContext): Promise<CallbackSecret> =>
    message(deps, await deps.callbackSecrets.get(principal(call).tenant, makerOf(call)))

/** Puts another in its place. */
export const rotateCallbackSecret =
  (deps: WebhookDeps) =>
  async (_: RotateCallbackSecretRequest, call: HandlerContext): Promise<CallbackSecret> =>
    message(deps, await deps.callbackSecrets.rotate(principal(call).tenant, makerOf(call)))

function message({ callbackSecrets, clock }: WebhookDeps, record: CallbackSecretRecord): CallbackSecret {
  const now = clock.now()
  const secret = readable(() => callbackSecrets.open(record))
  const { previous_secret_expires_at: until } = record
  return {
    $typeName: 'millhand.webhook.v1.CallbackSecret',
    secret,
    createdAt: timestampFromMs(record.created_at),
    ...(until !== undefined && until > now && { previousSecretExpiresAt: timestampFromMs(until) }),
  }
}

/** Fails so that whoever asks knows what to do; the reason is the operator's. */
function readable(read: () => string): string {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error
    throw fail('invalid_state', 'The secret can not be read any more: POST /v1/callback_secret/rotate makes another.')
  }
}
