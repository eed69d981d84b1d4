/** Signatures, checked by the library that customers check them with. */
import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { beforeEach, describe, it } from 'node:test'
import { createSecretCipher, SecretUnreadable } from '@millhand/api'
import fc from 'fast-check'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { newSecret, shownSecret, signingKey } from '../secret/secret.ts'
import { firstSecret, rotatedSecret } from '../secret/stored-secret.ts'
import type { WebhookRecord } from '../webhook.ts'
import { createSigner } from './signer.ts'
import { type Message, signatureHeader } from './webhook-signature.ts'

const id = 'evt_01kaje5z1cf6tvnyxkkhbm3v8h'
const DAY_MS = 86_400_000

describe('v1', () => {
  const headers = (secret: string, message: Message, at = Math.floor(Date.now() / 1000)) => ({
    'webhook-id': message.id,
    'webhook-timestamp': String(at),
    'webhook-signature': signatureHeader([signingKey(secret)], message, at),
  })

  it('verifies with standardwebhooks, whatever the body holds', () => {
    fc.assert(
      fc.property(fc.record({ text: fc.string({ unit: 'binary' }), more: fc.jsonValue() }), value => {
        const secret = newSecret('v1')
        const body = JSON.stringify(value)
        assert.deepEqual(new Webhook(secret).verify(body, headers(secret, { id, body })), JSON.parse(body))
      }),
    )
  })

  it('does not where a byte, the id, the time or the secret is another, or the time is long ago', () => {
    const secret = newSecret('v1')
    const body = '{"type":"task.succeeded","text":"héllo 🌍"}'
    const now = Math.floor(Date.now() / 1000)
    const good = headers(secret, { id, body }, now)
    const refused = (text: string, given: Record<string, string>, by = secret) =>
      assert.throws(() => new Webhook(by).verify(text, given), WebhookVerificationError)
    refused(body.replace('h', 'H'), good)
    refused(body, { ...good, 'webhook-id': `${id.slice(0, -1)}j` })
    refused(body, { ...good, 'webhook-timestamp': String(now + 1) })
    refused(body, good, newSecret('v1'))
    refused(body, headers(secret, { id, body }, now - 301))
    assert.ok(new Webhook(secret).verify(body, good))
  })
})

describe('v1a', () => {
  it('verifies with the public key that its owner is shown', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        const secret = newSecret('v1a')
        const body = JSON.stringify({ text })
        const [scheme, signature = ''] = signatureHeader([signingKey(secret)], { id, body }, 1_700_000_000).split(',')
        assert.equal(scheme, 'v1a')
        assert.ok(isSigned(shownSecret(secret), `${id}.1700000000.${body}`, signature))
        assert.ok(!isSigned(shownSecret(secret), `${id}.1700000000.${body} `, signature))
        assert.ok(!isSigned(shownSecret(newSecret('v1a')), `${id}.1700000000.${body}`, signature))
      }),
      { numRuns: 20 },
    )
  })
})

describe('an endpoint', () => {
  /** Of each test: the library takes no signature that is five minutes old, and others' tests may run before. */
  let now = 0
  beforeEach(() => {
    now = Date.now()
  })
  const sealer = createSecretCipher(Buffer.alloc(32, 1))
  const message = { id, body: '{"type":"task.succeeded"}' }
  const owner = { tenant: 'acct_a/live', id: 'wh_a' }
  const maker = { key: 'key_a', operation: undefined }
  const none = { get: () => assert.fail() }
  const { signWebhook } = createSigner(sealer, none)
  const first = { ...owner, ...firstSecret(sealer, owner, 'v1', maker) }
  const open = (sealed: string) => sealer.open(sealed, 'acct_a/live/wh_a')
  const verifies = (secret: string, headers: ReturnType<typeof signWebhook>) => {
    try {
      return Boolean(new Webhook(secret).verify(message.body, { ...headers }))
    } catch {
      return false
    }
  }

  it('is signed for with both secrets for a day after a rotation', () => {
    const second = { ...first, ...rotatedSecret(sealer, first, 'v1', maker, now - DAY_MS + 1) }
    const third = { ...second, ...rotatedSecret(sealer, second, 'v1', maker, now) }
    const good = (held: typeof first) =>
      [first, second, third].map(({ secret }) =>
        verifies(open(secret), signWebhook(held as WebhookRecord, message, now)),
      )
    assert.deepEqual(good(first), [true, false, false])
    assert.deepEqual(good(second), [true, true, false])
    assert.deepEqual(good(third), [false, true, true], 'the one before the last is good no more')
    assert.deepEqual(
      [first, second].map(({ secret }) =>
        verifies(open(secret), signWebhook(second as WebhookRecord, message, now + 1)),
      ),
      [false, true],
    )
  })

  it('is not signed for with a secret that was sealed for another, or under another key', () => {
    const another = createSigner(createSecretCipher(Buffer.alloc(32, 2)), none)
    assert.throws(() => another.signWebhook(first as WebhookRecord, message, now), SecretUnreadable)
    const rotated = { ...first, ...rotatedSecret(createSecretCipher(Buffer.alloc(32, 2)), first, 'v1', maker, now) }
    assert.ok(another.signWebhook(rotated as WebhookRecord, message, now), 'a rotation under the new key helps')
    assert.ok(signWebhook(first as WebhookRecord, message, now))
    const elsewhere = { ...first, id: 'wh_b' } as WebhookRecord
    assert.throws(() => signWebhook(elsewhere, message, now), SecretUnreadable)
    for (const secret of ['', 'AAAA', `${first.secret.slice(0, -2)}AA`]) {
      assert.throws(() => signWebhook({ ...first, secret } as WebhookRecord, message, now), SecretUnreadable)
    }
  })
})

describe('a secret', () => {
  it('is opened once for many deliveries of ten thousand endpoints', () => {
    const sealer = createSecretCipher(Buffer.alloc(32, 1))
    let opened = 0
    const counting = {
      ...sealer,
      open(sealed: string, owner: string) {
        opened++
        return sealer.open(sealed, owner)
      },
    }
    const { signWebhook } = createSigner(counting, { get: () => assert.fail() })
    const endpoints = Array.from({ length: 10_700 }, (_, n) => {
      const owner = { tenant: 'acct_a/live', id: `wh_${n}` }
      return { ...owner, ...firstSecret(sealer, owner, 'v1', { key: 'key_a', operation: undefined }) } as WebhookRecord
    })
    const signAll = (some: readonly WebhookRecord[]) => {
      const before = opened
      for (const one of some) signWebhook(one, { id, body: '{}' }, Date.now())
      return opened - before
    }
    const few = endpoints.slice(0, 300)
    assert.deepEqual([signAll(few), signAll(few), signAll(endpoints), signAll(few)], [300, 0, 10_400, 300])
  })
})

function isSigned(shown: string, text: string, signature: string): boolean {
  const x = Buffer.from(shown.slice('whpk_'.length), 'base64').toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))
}
