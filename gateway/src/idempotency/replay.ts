/** Replies as identity keeps them. */
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { fail } from '@millhand/api'
import type { StoredAnswer } from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'
import type { Principal } from '@millhand/rpc'
import { authorize } from '../pipeline/authorize.ts'
import type { Reply } from '../reply.ts'
import { openBody, type SealKeys, sealBody } from './body-encryption.ts'

/** The answer to a request that may be stored. */
export interface Outcome {
  readonly reply: Reply
  /** SHA-256 of the body, where the fingerprint of the request does not have it. */
  readonly bodySha256?: Uint8Array
  /** The scope that a key must have to see the reply, in addition to the method's. */
  readonly scope?: string | undefined
}

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** Smaller ones take less time to send than to compress. */
const DEFLATED_FROM_BYTES = 16_384

/** `seal` is set where the body shows a secret. */
export async function storedReply(
  { reply, bodySha256 = new Uint8Array(), scope = '' }: Outcome,
  seal: SealKeys | undefined,
): Promise<Omit<StoredAnswer, '$typeName' | '$unknown'>> {
  const { status, headers } = reply
  const plain = reply.kind === 'body' ? Buffer.from(reply.body ?? '') : Buffer.alloc(0)
  const deflated = plain.length >= DEFLATED_FROM_BYTES
  const body = deflated ? await deflate(plain) : plain
  const secret = seal !== undefined && plain.length > 0
  return {
    status,
    headers: [...headers],
    body: secret ? sealBody(body, seal) : body,
    secret,
    objectId: reply.kind === 'events' ? reply.resourceId : '',
    bodySha256,
    deflated,
    scope,
  }
}

/** The request that a stored reply is replayed for. */
export interface ReplayRequest {
  readonly caller: Principal
  readonly sealKeys: SealKeys
  /** SHA-256 of the body, where the request's fingerprint does not have it. */
  readonly bodySha256?: Uint8Array | undefined
}

/**
 * The reply, with `Idempotent-Replayed`. Fails with `insufficient_scope` where the caller lacks the reply's scope, and with
 * `idempotency_mismatch` where the reply is to another body or shows a secret of another API key.
 */
export async function replyOf(answer: StoredAnswer, { caller, sealKeys, bodySha256 }: ReplayRequest): Promise<Reply> {
  const { status, objectId, secret, deflated, scope, bodySha256: answered } = answer
  if (bodySha256 !== undefined && answered.length > 0 && !Buffer.from(answered).equals(bodySha256)) throw mismatch()
  if (scope !== '') authorize(caller, scope)
  const headers = [...answer.headers, 'Idempotent-Replayed', 'true']
  if (objectId !== '') return { kind: 'events', status, headers, resourceId: objectId }
  const body = secret ? openBody(answer.body, sealKeys) : Buffer.from(answer.body)
  if (body === undefined) throw secretOfOtherKey()
  return { kind: 'body', status, headers, body: deflated ? await inflate(body) : body }
}

export const mismatch = () =>
  fail(
    'idempotency_mismatch',
    'This `Idempotency-Key` was sent with another request before: another method, path, query or body.',
  )

const secretOfOtherKey = () =>
  fail(
    'idempotency_mismatch',
    'The answer to this `Idempotency-Key` shows a secret, which only the API key can read that the request was first sent with.',
  )
