/** The operations of idempotency keys: each is done once. docs/decisions/admission.md. */
import { hash, randomUUID } from 'node:crypto'
import { type Client, Code, ConnectError } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import type { IdempotencyService } from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'
import type { Clock } from '@millhand/process'
import type { Principal } from '@millhand/rpc'
import type { Inbound } from '../inbound.ts'
import { CALL_MS, callValues } from '../pipeline/call.ts'
import type { Reply } from '../reply.ts'
import type { KeyedRequest } from './idempotency-key.ts'
import { inProgress, Operation, type ReplyOfFailure } from './operation.ts'
import { mismatch, replyOf } from './replay.ts'
import { retryWhileUnavailable } from './retry.ts'

type BeginResult =
  | { readonly kind: 'begun'; readonly operation: Operation }
  /** `replay` fails as `replyOf` does; `bodySha256` is of a body that the fingerprint does not have. */
  | { readonly kind: 'answered'; replay(bodySha256?: Uint8Array): Promise<Reply> }

export interface Idempotency {
  /**
   * Begins the operation of the key, or returns its answer. Fails with `idempotency_mismatch`, with
   * `idempotency_in_progress`, and with `unavailable` where identity can't be reached.
   */
  begin(
    exchange: Inbound,
    caller: Principal,
    request: KeyedRequest,
    replyOfFailure: ReplyOfFailure,
  ): Promise<BeginResult>
  /**
   * Deletes the stored answer of the request that created the resource: it shows deleted data. Fails with `unavailable`
   * where identity can't be reached.
   */
  forget(exchange: Inbound, caller: Principal, id: string): Promise<void>
}

interface Deps {
  readonly idempotency: Client<typeof IdempotencyService>
  readonly clock: Clock
}

export function createIdempotency({ idempotency: client, clock }: Deps): Idempotency {
  return {
    async begin(exchange, caller, { key, fingerprint, isSecret }, replyOfFailure) {
      const callOptions = { contextValues: callValues(caller, exchange) }
      const keySha256 = hash('sha256', key, 'buffer')
      const holder = randomUUID()
      const sealKeys = { apiKey: apiKeyOf(exchange), idempotencyKey: key }
      const reserved = await retryWhileUnavailable(
        clock,
        timeoutMs => client.reserve({ keySha256, fingerprint, holder }, { ...callOptions, timeoutMs }),
        exchange.leftOf(CALL_MS),
      ).catch(cause => {
        throw fail('unavailable', 'Idempotency keys can not be looked up at the moment. Nothing was done.', { cause })
      })
      const { outcome } = reserved
      switch (outcome.case) {
        case 'begun': {
          const { id, leaseMs } = outcome.value
          const options = {
            client,
            clock,
            exchange,
            caller,
            callOptions,
            keySha256,
            holder,
            id,
            leaseMs,
            isSecret,
            sealKeys,
            replyOfFailure,
          }
          return { kind: 'begun', operation: new Operation(options) }
        }
        case 'answered': {
          const answer = outcome.value
          return {
            kind: 'answered',
            replay: bodySha256 => replyOf(answer, { caller, sealKeys, bodySha256 }),
          }
        }
        case 'runningMs':
          throw inProgress(outcome.value)
        case 'mismatch':
          throw mismatch()
        case undefined:
          throw new ConnectError('identity said nothing of a reservation', Code.Internal)
      }
    },

    async forget(exchange, caller, id) {
      const operation = id.slice(id.indexOf('_') + 1)
      const contextValues = callValues(caller, exchange)
      await retryWhileUnavailable(clock, timeoutMs => client.reopen({ operation }, { contextValues, timeoutMs })).catch(
        cause => {
          throw fail('unavailable', 'An answer that shows it is still kept. Send the same again.', { cause })
        },
      )
    },
  }
}

/** The credential after the scheme; an admitted caller has sent one. */
const apiKeyOf = (exchange: Inbound) => exchange.header('authorization')?.trim().split(/\s/).at(-1) ?? ''
