/** Who collects payments: nobody, or Stripe. */
import type { PaymentProcessor } from '@millhand/billing'
import { type Clock, ConfigurationError, type Values } from '@millhand/process'
import type { variables } from './variables.ts'

export const paymentVariables = [
  'MILLHAND_PAYMENT_PROCESSOR',
  'MILLHAND_STRIPE_KEY',
  'MILLHAND_STRIPE_WEBHOOK_SECRET',
  'MILLHAND_STRIPE_URL',
] as const

type Set = Pick<Values<typeof variables>, (typeof paymentVariables)[number]>

export interface PaymentSettings {
  readonly key: string
  readonly webhookSecret: string
  readonly url: URL
}

/** Of Stripe; undefined where nobody collects. @throws ConfigurationError where a secret is missing */
export function paymentSettingsOf(set: Set): PaymentSettings | undefined {
  if (set.MILLHAND_PAYMENT_PROCESSOR === 'none') return undefined
  const { MILLHAND_STRIPE_KEY: key, MILLHAND_STRIPE_WEBHOOK_SECRET: webhookSecret } = set
  const missing = Object.entries({ MILLHAND_STRIPE_KEY: key, MILLHAND_STRIPE_WEBHOOK_SECRET: webhookSecret })
    .filter(([, value]) => value === undefined)
    .map(([name]) => `${name} must be set where MILLHAND_PAYMENT_PROCESSOR is stripe.`)
  if (key === undefined || webhookSecret === undefined) throw new ConfigurationError(missing)
  return { key: key.reveal(), webhookSecret: webhookSecret.reveal(), url: new URL(set.MILLHAND_STRIPE_URL) }
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
