/** Why a post got no answer. */

/**
 * - `address_refused`: where it leads is not to be dialled.
 * - `dns_failed`: the name does not exist, has no address, or its own servers don't answer.
 * - `connect_failed`, `tls_failed`, `reset`, `timeout`, `protocol_error`: the endpoint's, at that stage.
 * - `dns_unavailable`, `no_sockets`: ours: no resolver can be asked, no connection can be opened. They say nothing of
 *   the endpoint.
 * - `aborted`: the caller's signal fired, or the dialer is closed.
 */
export type FailureCode =
  | 'address_refused'
  | 'dns_failed'
  | 'dns_unavailable'
  | 'connect_failed'
  | 'tls_failed'
  | 'reset'
  | 'timeout'
  | 'protocol_error'
  | 'no_sockets'
  | 'aborted'

/** How a post fails inside; its message is for whoever owns the endpoint and holds nothing that came from outside. */
export class DialFailure extends Error {
  readonly code: FailureCode
  /** No byte of an answer came, and the reason can be the connection's age: a fresh one may do. */
  readonly repeatable: boolean

  constructor(code: FailureCode, message: string, repeatable = false) {
    super(message)
    this.code = code
    this.repeatable = repeatable
  }
}

/** The machine is out of something: none of it is the endpoint's fault. */
export function isOwnShortage(code: string | undefined): boolean {
  return ['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EAGAIN'].includes(code ?? '')
}

/** Rejects as soon as the signal fires; what `promise` comes to then is of no interest. */
export function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
