/** `webhook-signature` of Standard Webhooks: `v1` is HMAC-SHA-256, `v1a` Ed25519, one signature for each secret. */
import { createHmac, type KeyObject, sign } from 'node:crypto'

/** What is signed. */
export interface Message {
  /** The event's id. */
  readonly id: string
  /** The body, byte for byte as it is posted. */
  readonly body: string
}

/** The header, for `timestamp` in whole seconds. Of several keys the newest is first. */
export function signatureHeader(keys: readonly KeyObject[], { id, body }: Message, timestamp: number): string {
  const signed = `${id}.${timestamp}.${body}`
  return keys.map(key => signatureOf(key, signed)).join(' ')
}

function signatureOf(key: KeyObject, signed: string): string {
  if (key.type === 'private') return `v1a,${sign(null, Buffer.from(signed), key).toString('base64')}`
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}
