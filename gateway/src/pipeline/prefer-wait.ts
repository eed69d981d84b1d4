/** `Prefer: wait`: the answer comes once the resource has ended or changed, or once the wait is over. */
import { type DescMethodUnary, getOption } from '@bufbuild/protobuf'
import { Code, ConnectError, type Transport } from '@connectrpc/connect'
import { access } from '@millhand/api/gen/millhand/type/v1/access_pb.ts'
import type { Clock } from '@millhand/process'
import { hasScope, type Principal } from '@millhand/rpc'
import type { Log } from '@millhand/telemetry'
import { Concurrency } from '../admission/concurrency.ts'
import { CallerGone } from '../exchange.ts'
import { CALL_MS, callValues, type Message, unary } from './call.ts'
import type { RequestContext } from './context.ts'

interface Wait {
  /** The scope that a key must have to see what became of the resource. */
  readonly scope: string
  /**
   * Begins the wait: how many milliseconds the call that creates the resource may itself wait for its end. 0 where the
   * caller may not read such resources, or nobody is to wait.
   */
  begin(context: RequestContext): number
  /**
   * Waits at most `context.waitS` seconds, since `begin` where that was called, for `context.result` to end, or to change where `forChange` says so, and sets it
   * to the resource as it then is. Returns at once where the caller has half-closed the connection: one that is gone looks
   * the same. Leaves the result as it is where it has ended, where the caller may not read such resources, and where
   * waiting fails: the call itself has succeeded. Fails with `CallerGone`.
   */
  until(context: RequestContext, forChange: boolean): Promise<void>
}

export interface Waits {
  /** How to wait for the answers of `method`. Throws where its service has no method `Wait…` for that. */
  of(method: DescMethodUnary): Wait
  /** A permit for one more wait of the caller. Fails with `concurrency_limited`. */
  acquire(caller: Principal): Disposable
  /** Ends with every wait, or when it is disposed of: for a call that waits by itself. */
  open(): WaitSignal
  /** Ends every wait: each is answered with the current state. */
  stop(): void
}

interface WaitSignal extends Disposable {
  readonly signal: AbortSignal
}

export interface WaitsDeps {
  readonly transport: Transport
  readonly log: Log
  readonly clock: Clock
  /** The most waits of each account and mode. */
  readonly maxWaits: number
}

/** Of all accounts together. */
const MAX_WAITS = 10_000
/**
 * Milliseconds that a call which creates something may itself wait: most tasks end within it, which saves a call, and
 * neither a server that stops nor a caller that leaves is held up by more.
 */
const FIRST_WAIT_MS = 250
/** Milliseconds between two tries while no replica can answer. */
const RETRY_MS = 100
/** Milliseconds that a call may take in addition to its wait: the service ends a wait so long before the deadline. */
export const ANSWER_MS = 1_000

export function createWaits({ transport, log, clock, maxWaits }: WaitsDeps): Waits {
  const permits = new Concurrency('requests that wait (`Prefer: wait`)', { perTenant: maxWaits, all: MAX_WAITS })
  const open = new Set<AbortController>()
  let isStopping = false

  return {
    of(method) {
      const waitMethod = waitMethodFor(method)
      const { scope } = getOption(waitMethod, access)
      /** Sets the result, and that the wait was applied. */
      const update = (context: RequestContext, result: Message) => {
        context.result = result
        context.hasWaited = true
      }
      function begin(context: RequestContext): number {
        const { exchange, caller, waitS } = context
        if (isStopping || exchange.isDraining || !hasScope(caller, scope)) return 0
        exchange.isTimed = false
        context.waitUntil = clock.monotonic() + waitS * 1000
        return Math.min(FIRST_WAIT_MS, waitS * 1000)
      }
      async function until(context: RequestContext, forChange: boolean): Promise<void> {
        const { exchange, caller, waitS } = context
        const { id, resourceVersion, finishedAt } = context.result as Message & Awaited
        if (!hasScope(caller, scope)) return
        if (exchange.isGone) throw new CallerGone('the caller left before it waited')
        if (finishedAt !== undefined) {
          context.hasWaited = true
          return
        }
        const values = callValues(caller, exchange)
        const ask = async (timeoutMs: number, signal?: AbortSignal) => {
          const request: Fields = { id, timeoutMs, ...(forChange ? { afterVersion: resourceVersion } : {}) }
          const deadlineMs = timeoutMs === 0 ? CALL_MS : timeoutMs + ANSWER_MS
          const { message } = await transport.unary(waitMethod, signal, deadlineMs, undefined, request, values)
          update(context, message)
        }
        exchange.isTimed = false
        const ending = new AbortController()
        const { signal } = ending
        /** Asks again while no replica can answer, for what is left of the time. */
        const untilEnd = async () => {
          const end = context.waitUntil ?? clock.monotonic() + waitS * 1000
          for (;;) {
            const leftMs = Math.max(0, Math.round(end - clock.monotonic()))
            try {
              return await ask(leftMs, signal)
            } catch (error) {
              const isTransient = ConnectError.from(error).code === Code.Unavailable
              if (!isTransient || signal.aborted || leftMs === 0) throw error
            }
            await clock.sleep(RETRY_MS, signal)
          }
        }
        const stop = () => ending.abort()
        open.add(ending)
        exchange.onGone = stop
        exchange.onDrain = stop
        try {
          if (isStopping || exchange.isDraining) return await ask(0)
          return await untilEnd().catch(error => {
            if (exchange.isGone) throw new CallerGone('the caller left while it waited')
            if (signal.aborted) return ask(0)
            throw error
          })
        } catch (error) {
          if (error instanceof CallerGone) throw error
          log.warn('wait.failed', { request_id: exchange.requestId, error })
          await ask(0).catch(() => {})
        } finally {
          exchange.onGone = undefined
          exchange.onDrain = undefined
          open.delete(ending)
        }
      }
      return { scope, begin, until }
    },
    acquire: caller => permits.acquire(caller),
    open() {
      const ending = new AbortController()
      open.add(ending)
      if (isStopping) ending.abort()
      return { signal: ending.signal, [Symbol.dispose]: () => void open.delete(ending) }
    },
    stop() {
      isStopping = true
      for (const ending of open) ending.abort()
    },
  }
}

type Fields = Record<string, unknown>

/** The fields of every resource that can be waited for. */
interface Awaited {
  readonly id: string
  readonly resourceVersion: number
  readonly finishedAt?: object
}

function waitMethodFor({ name, parent, output }: DescMethodUnary): DescMethodUnary {
  const found = parent.methods.find(method => method.name === `Wait${output.name}` && method.output === output)
  if (!found) throw new Error(`${name} has answer.wait, but there is no Wait${output.name}`)
  return unary(found)
}

/** The longest wait, in seconds; a longer one is taken as this. */
const LONGEST_WAIT_S = 60

/** Seconds of `wait` in a `Prefer` header (RFC 7240), 1 to 60; 0 without one that is valid. All other preferences are ignored. */
export function preferredWait(prefer: string | undefined): number {
  if (prefer === undefined) return 0
  for (const preference of prefer.split(',')) {
    const wait = waitPreference.exec(preference)
    // The first of several counts (RFC 7240, section 2).
    if (wait) return Math.min(Number(wait[2]), LONGEST_WAIT_S)
  }
  return 0
}

const waitPreference = /^\s*wait\s*=\s*("?)(\d{1,9})\1\s*(?:;.*)?$/i
