/**
 * `POST /payments/notifications`: what the payment processor reports. It has no key of ours. Billing checks the signature of
 * the bytes as they came, so they are passed on unread.
 */
import { createClient, type Transport } from '@connectrpc/connect'
import { fail } from '@millhand/api'
import { PaymentService } from '@millhand/api/gen/millhand/billing/v1/payment_service_pb.ts'
import type { Endpoint } from './pipeline/match.ts'
import { readBody } from './transcode/read-body.ts'

/** Of a body: the event of an invoice has a few thousand bytes. */
const MAX_BYTES = 262_144
const MAX_SIGNATURE = 4_096
/** Anybody may send one: 16 MiB together. */
const MAX_OPEN = 64
const RETRY_S = 5
const TIMEOUT_MS = 10_000

export function paymentNotifications(transport: Transport): Endpoint {
  const payments = createClient(PaymentService, transport)
  let open = 0
  return {
    method: 'POST',
    pattern: '/payments/notifications',
    async handle(exchange) {
      const signature = exchange.header('stripe-signature')
      if (signature === undefined) throw fail('missing_parameter', 'The request is not signed.', { param: SIGNATURE })
      if (signature.length > MAX_SIGNATURE)
        throw fail('invalid_parameter', 'No signature is so long.', { param: SIGNATURE })
      if (open >= MAX_OPEN) throw fail('unavailable', 'Too many notifications at once.', { retryAfterS: RETRY_S })
      open++
      try {
        const body = await readBody(exchange, MAX_BYTES, () => {})
        await payments.receiveNotification({ body, signature }, { timeoutMs: exchange.leftOf(TIMEOUT_MS) })
      } finally {
        open--
      }
      exchange.send(200, json, '{"received":true}')
    },
  }
}

const SIGNATURE = 'Stripe-Signature'
const json = ['Content-Type', 'application/json', 'Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff']
