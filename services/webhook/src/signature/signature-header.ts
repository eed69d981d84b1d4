/** `webhook-signature` of Standard Webhooks: `v1` is HMAC-SHA-256, `v1a` Ed25519, one signature for each secret. */
import { createHmac, sign } from 'node:crypto'
import { secretBytes, signingKey } from '../secret/secret.ts'

/** What is signed. */
export interface Message {
  /** The event's id. */
  readonly id: string
  /** The body, byte for byte as it is posted. */
  readonly body: string
}

/** The header, for `timestamp` in whole seconds. Of several secrets the newest is first. */
export function signatureHeader(secrets: readonly string[], { id, body }: Message, timestamp: number): string {
  const signed = `${id}.${timestamp}.${body}`
  return secrets.map(secret => signatureOf(secret, signed)).join(' ')
}

function signatureOf(secret: string, signed: string): string {
  if (!secret.startsWith('whsk_')) {
    return `v1,${createHmac('sha256', secretBytes(secret)).update(signed).digest('base64')}`
  }
  return `v1a,${sign(null, Buffer.from(signed), signingKey(secret)).toString('base64')}`
}
