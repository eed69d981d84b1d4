/** The port of payment processors: they collect what invoices ask for. Which one there is, `deploy/` chooses. */

/**
 * `none`: nothing is to be collected. `pending`: it is not collected yet. `failed`: an attempt has failed, and another one
 * may succeed.
 */
export type PaymentStatus = 'none' | 'pending' | 'paid' | 'failed'

/** An invoice that is to be collected. */
export interface CollectRequest {
  readonly accountId: string
  readonly invoiceId: string
  /** Its number within the account. */
  readonly number: number
  /** `2026-11`. */
  readonly month: string
  /** US cents; negative where the account gets something back. Never 0. */
  readonly cents: number
  /** The processor's id of the invoice, where an earlier answer had it. */
  readonly reference?: string | undefined
}

/** How far a payment is at the processor. */
export interface PaymentState {
  readonly status: PaymentStatus
  /** The processor's id of the invoice. */
  readonly reference?: string
}

/** What the processor reports of an invoice. */
export interface PaymentReport extends PaymentState {
  readonly accountId: string
  readonly invoiceId: string
  readonly reference: string
}

export interface PaymentProcessor {
  /** Whether it collects anything. */
  readonly collects: boolean
  /** Whether its settings are right and it can be reached. It rejects with `PaymentError`, which says what is wrong. */
  check(signal: AbortSignal): Promise<void>
  /**
   * Asks for the payment of an invoice, once for each of our ids, and returns how far it is. It may be called again at any
   * time, by any number of processes, also after one of them has died in the middle. It rejects with `PaymentError`.
   */
  collect(request: CollectRequest, signal: AbortSignal): Promise<PaymentState>
  /**
   * Reads a notification. Undefined for one that is about something else. It fails with `not_found` where nothing is
   * collected, and with `invalid_parameter` where the processor has not signed it, or too long ago.
   */
  read(body: Uint8Array, signature: string): Promise<PaymentReport | undefined>
}

/** What a processor has refused, or why it can't be reached. Its message has no secret. */
export class PaymentError extends Error {
  override readonly name = 'PaymentError'
}
