/** The life of a delivery. Pure. */
import type { Held, LeaseCause, Refusal } from '@millhand/lease'
import type { Attempt, DeliveryRecord } from '../delivery.ts'

export type DeliveryCause =
  | LeaseCause
  /** A try has ended, with an answer or without one. */
  | {
      readonly kind: 'tried'
      readonly held: Held
      readonly attempt: Attempt
      readonly retryAfterMs?: number | undefined
    }
  /** It could not be tried, for a reason of our own: it waits a second, and that is no try. */
  | { readonly kind: 'put_off'; readonly held: Held }
  /** Its endpoint is disabled or gone. */
  | { readonly kind: 'dropped'; readonly held: Held }
  /** It can never be tried: its event or its secret can't be read. */
  | { readonly kind: 'spoiled'; readonly held: Held; readonly attempt: Attempt }
  /** Its owner asks for a try at once. `operation` is the same where the same request comes again. */
  | { readonly kind: 'retried'; readonly operation?: string | undefined }
  /** A replay comes to it. */
  | { readonly kind: 'replayed' }

export const deliveryTransition =
  (rules: { readonly random: () => number }) =>
  (delivery: DeliveryRecord, cause: DeliveryCause, now: number): DeliveryRecord | Refusal => {
    throw new Error(`${rules.random()} ${delivery.id} ${cause.kind} ${now}`)
  }
