/** Replies as identity keeps them. */
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { fail } from '@millhand/api'
import type { StoredAnswer } from '@millhand/api/gen/millhand/identity/v1/idempotency_service_pb.ts'
import type { Principal } from '@millhand/rpc'
import { requireScope } from '../admission/scope.ts'
import type { Reply } from '../reply.ts'
import { openBody, type SealKeys, sealBody } from './sealed-body.ts'

/** What a call has come to. */
export interface Done {
  readonly reply: Reply
  /** SHA-256 of what was sent, where that was not known before the call. */
  readonly bodySha256?: Uint8Array
  /** The scope that a key must hold to be shown the reply, beside the method's own. */
  readonly scope?: string | undefined
}

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/** Smaller ones take less time to send than to compress. */
const DEFLATED_FROM_BYTES = 16_384

/** `seal` is set where the body shows a secret. */
export async function storedReply(
  { reply, bodySha256 = new Uint8Array(), scope = '' }: Done,
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
    objectId: reply.kind === 'events' ? reply.made : '',
    bodySha256,
    deflated,
    scope,
  }
}

/** Who asks for a reply that was given before, and for which. */
export interface Replaying {
  readonly caller: Principal
  readonly sealKeys: SealKeys
  /** SHA-256 of the body, where the request's fingerprint does not have it. */
  readonly bodySha256?: Uint8Array | undefined
}

/**
 * The reply, which says that it was given before. Fails with `insufficient_scope` where the caller may not see what it
 * shows, and with `idempotency_mismatch` where it is to another body or shows a secret that another API key was told.
 */
export async function replyOf(answer: StoredAnswer, { caller, sealKeys, bodySha256 }: Replaying): Promise<Reply> {
  const { status, objectId, secret, deflated, scope, bodySha256: answered } = answer
  if (bodySha256 !== undefined && answered.length > 0 && !Buffer.from(answered).equals(bodySha256)) throw mismatch()
  if (scope !== '') requireScope(caller, scope)
  const headers = [...answer.headers, 'Idempotent-Replayed', 'true']
  if (objectId !== '') return { kind: 'events', status, headers, made: objectId }
  const body = secret ? openBody(answer.body, sealKeys) : Buffer.from(answer.body)
  if (body === undefined) throw toldToAnother()
  return { kind: 'body', status, headers, body: deflated ? await inflate(body) : body }
}

export const mismatch = () =>
  fail(
    'idempotency_mismatch',
    'This `Idempotency-Key` was sent with another request before: another method, path, query or body.',
  )

const toldToAnother = () =>
  fail(
    'idempotency_mismatch',
    'The answer to this `Idempotency-Key` shows a secret, which only the API key can read that the request was first sent with.',
  )
