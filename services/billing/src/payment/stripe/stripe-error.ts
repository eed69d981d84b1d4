/** What Stripe has refused, in words that may be logged: the library's errors hold headers and bodies. */
import { Stripe } from 'stripe'
import { PaymentError } from '../payment-processor.ts'

export function explained(error: unknown): PaymentError {
  if (error instanceof PaymentError) return error
  if (!(error instanceof Stripe.errors.StripeError))
    return new PaymentError('the call to Stripe failed', { cause: error })
  const { type, code, statusCode, requestId, message, detail } = error
  const about = [type, code, statusCode, requestId].filter(part => part !== undefined && part !== null)
  const cause = error instanceof Stripe.errors.StripeConnectionError ? { cause: detail } : {}
  return new PaymentError(`${message.replaceAll(keys, 'MILLHAND_STRIPE_KEY')} (${about.join(', ')})`, cause)
}

/** Stripe tells a key back with some of its characters as stars. */
const keys = /\b[sr]k_(?:live|test)_[\w*]*/g
