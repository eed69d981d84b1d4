/** What admission and dispatch need of a request, whichever protocol it came by. */
import type { Id, KeyMode } from '@millhand/api'
import type { TraceContext } from '@millhand/telemetry'
import type { Caller } from './admission/caller.ts'

export interface Inbound {
  readonly requestId: Id<'req'>
  /** The caller's, once it is authenticated. */
  mode: KeyMode | undefined
  /** Whether the time of the answer counts in the targets of `/status`: no wait, no stream, no file. */
  isTimed: boolean
  /** Whose calls are part of which trace; undefined where traces are off. */
  trace: TraceContext | undefined
  /** The bytes of the body, by the head of the request; undefined where the head does not say. */
  readonly bodyLength: number | undefined
  /** A header of the request, by its name in lower case. */
  header(name: string): string | undefined
  /** The caller's address. */
  readonly peer: string
  /** What the request came on: the same object for each of its requests. */
  readonly connection: object
  /**
   * Milliseconds that are left for calls to services, at most `budgetMs`, counted from the first call on: all calls of a
   * request share one budget, and what is left of it is the deadline of each.
   */
  leftOf(budgetMs: number): number
  /** Adds a header to the answer, whatever it will be. */
  addHeader(name: string, value: string): void
  /** Sets the rate headers of the answer, in place of those that were set before. */
  setRate(policy: string, rate: string): void
  /** Keeps a permit until the answer is sent or can't be. */
  hold(permit: Disposable): void
}

/** The time that a request has for calls to services. */
export class CallBudget {
  #until: number | undefined

  /** As `Inbound` has it. */
  leftOf(budgetMs: number): number {
    const now = performance.now()
    this.#until ??= now + budgetMs
    return Math.max(1, Math.min(budgetMs, this.#until - now))
  }
}

/** A request whose caller is known. */
export interface Authenticated {
  readonly exchange: Inbound
  readonly caller: Caller
}
