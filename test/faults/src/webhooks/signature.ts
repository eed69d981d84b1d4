/** Whether a post is signed as Standard Webhooks says, by what every customer has: its headers, its body, the secret. */
import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto'
import type { Post } from './receivers.ts'

const TOLERANCE_S = 60

export function isSigned({ headers, body, at }: Post, secret: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers
  if (Math.abs(at / 1_000 - Number(timestamp)) > TOLERANCE_S) return false
  const signed = Buffer.from(`${id}.${timestamp}.${body}`)
  return String(signatures)
    .split(' ')
    .some(each => {
      const [scheme, signature = ''] = each.split(',')
      return isBy(secret, scheme, signed, Buffer.from(signature, 'base64'))
    })
}

function isBy(secret: string, scheme: string | undefined, signed: Buffer, signature: Buffer): boolean {
  const key = Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64')
  if (secret.startsWith('whsec_') && scheme === 'v1') {
    const mine = createHmac('sha256', key).update(signed).digest()
    return mine.length === signature.length && timingSafeEqual(mine, signature)
  }
  if (!secret.startsWith('whpk_') || scheme !== 'v1a') return false
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') }
  return verify(null, signed, createPublicKey({ key: jwk, format: 'jwk' }), signature)
}
