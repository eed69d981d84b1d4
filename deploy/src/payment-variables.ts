/** The settings of payments. */
import { oneOf, optional } from '@millhand/process'
import { origin, stripeKey, stripeWebhookSecret } from './setting-types.ts'

export const paymentVariables = {
  MILLHAND_PAYMENT_PROCESSOR: oneOf('none', 'Who collects the payments of invoices. `none` makes invoices only.', [
    'none',
    'stripe',
  ]),
  MILLHAND_STRIPE_KEY: optional(stripeKey('The key of your Stripe account.')),
  MILLHAND_STRIPE_WEBHOOK_SECRET: optional(
    stripeWebhookSecret('The signing secret of the Stripe webhook endpoint that points to `/payments/notifications`.'),
  ),
  MILLHAND_STRIPE_URL: origin('https://api.stripe.com', 'Where Stripe’s API is. Another one is for tests.'),
}
