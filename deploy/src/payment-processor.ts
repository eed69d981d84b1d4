/** Who collects payments: nobody, or Stripe. */
import type { PaymentProcessor } from '@millhand/billing'
import { type Clock, ConfigurationError, type Values } from '@millhand/process'
import type { paymentVariables } from './payment-variables.ts'

export interface PaymentSettings {
  readonly key: string
  readonly webhookSecret: string
  readonly url: URL
}

/** Of Stripe; undefined where nobody collects. @throws ConfigurationError where a secret is missing or would be read on the way */
export function paymentSettingsOf(set: Values<typeof paymentVariables>): PaymentSettings | undefined {
  if (set.MILLHAND_PAYMENT_PROCESSOR === 'none') return undefined
  const { MILLHAND_STRIPE_KEY, MILLHAND_STRIPE_WEBHOOK_SECRET, MILLHAND_STRIPE_URL: url } = set
  const missing = Object.entries({ MILLHAND_STRIPE_KEY, MILLHAND_STRIPE_WEBHOOK_SECRET })
    .filter(([, value]) => value === undefined)
    .map(([name]) => `${name} must be set where MILLHAND_PAYMENT_PROCESSOR is stripe.`)
  if (MILLHAND_STRIPE_KEY === undefined || MILLHAND_STRIPE_WEBHOOK_SECRET === undefined)
    throw new ConfigurationError(missing)
  const key = MILLHAND_STRIPE_KEY.reveal()
  if (url.protocol === 'http:' && key.includes('_live_'))
    throw new ConfigurationError(['MILLHAND_STRIPE_URL must be https: where MILLHAND_STRIPE_KEY is a live key.'])
  return { key, webhookSecret: MILLHAND_STRIPE_WEBHOOK_SECRET.reveal(), url }
}

/** The library of Stripe is loaded only where it is used. */
export async function openProcessor(
  settings: PaymentSettings | undefined,
  clock: Clock,
): Promise<PaymentProcessor | undefined> {
  if (settings === undefined) return undefined
  const { stripeProcessor } = await import('@millhand/billing/stripe')
  return stripeProcessor({ ...settings, clock })
}
