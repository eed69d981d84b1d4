/** `Prefer: wait`: the answer comes once the resource has ended or changed, or once the wait is over. */
import { type DescMethodUnary, getOption, type MessageShape } from '@bufbuild/protobuf'
import { Code, ConnectError, type Transport } from '@connectrpc/connect'
import { access } from '@millhand/api/gen/millhand/type/v1/access_pb.ts'
import type { Principal } from '@millhand/rpc'
import type { Clock } from '@millhand/runner'
import type { Log } from '@millhand/telemetry'
import { Concurrency } from '../admission/concurrency.ts'
import { holds } from '../admission/scope.ts'
import { CallerGone, type Exchange } from '../exchange.ts'
import { CALL_MS, callValues, unary } from './call.ts'

/** How it stands when the wait is over, and whether there was one: the caller is told. */
interface Waited {
  readonly message: Resource
  readonly isApplied: boolean
}

interface Wait {
  /** The scope that a key must hold to be shown what became of what it waits for. */
  readonly scope: string
  readonly until: Until
}

/**
 * Waits at most `seconds` for `first` to end, or to change where `forChange` says so, and gives it as it then is.
 * Gives what there is at once where the caller has sent its last byte: one that is gone looks no other.
 * Gives `first` at once where it has ended, where the caller may not read such resources, and where waiting fails: what
 * was done before the wait was done. Fails with `CallerGone`.
 */
type Until = (
  exchange: Exchange,
  caller: Principal,
  first: Resource,
  seconds: number,
  forChange: boolean,
) => Promise<Waited>

type Resource = MessageShape<DescMethodUnary['output']>

export interface Waiting {
  /** How to wait for what `method` answers with. Throws where its service has no method `Wait…` for that. */
  of(method: DescMethodUnary): Wait
  /** Takes the place of one more wait of the caller's, until it is disposed of. Fails with `concurrency_limited`. */
  take(caller: Principal): Disposable
  /** Ends every wait; who waited is answered with what there is now. */
  stop(): void
}

export interface WaitingDeps {
  readonly transport: Transport
  readonly log: Log
  readonly clock: Clock
  /** The most at once, of each account and mode. */
  readonly most: number
}

/** Of all accounts together. */
const MOST_WAITS = 10_000
/** Between two tries of a wait that can't be answered just then: milliseconds. */
const AGAIN_MS = 100
/** What a call may take beside its wait: milliseconds. The service ends a wait so long before the deadline. */
const ANSWER_MS = 1_000

export function createWaiting({ transport, log, clock, most }: WaitingDeps): Waiting {
  const places = new Concurrency('requests that wait (`Prefer: wait`)', { perTenant: most, all: MOST_WAITS })
  const open = new Set<AbortController>()
  let isStopping = false

  return {
    of(method) {
      const waitMethod = waitMethodFor(method)
      const { scope } = getOption(waitMethod, access)
      const until: Until = async (exchange, caller, first, seconds, forChange) => {
        const { id, resourceVersion, finishedAt } = first as Resource & Awaited
        const unchanged = (isApplied: boolean): Waited => ({ message: first, isApplied })
        if (!holds(caller, scope)) return unchanged(false)
        if (exchange.res.destroyed) throw new CallerGone('the caller left before it waited')
        if (finishedAt !== undefined) return unchanged(true)
        const values = callValues(caller, exchange)
        const ask = async (timeoutMs: number, signal?: AbortSignal) => {
          const request: Fields = { id, timeoutMs, ...(forChange ? { afterVersion: resourceVersion } : {}) }
          const deadlineMs = timeoutMs === 0 ? CALL_MS : timeoutMs + ANSWER_MS
          const last = await transport.unary(waitMethod, signal, deadlineMs, undefined, request, values)
          return { message: last.message, isApplied: true }
        }
        exchange.isTimed = false
        const ending = new AbortController()
        const { signal } = ending
        /** Asks again while nobody can answer, as when a replica stops, for what is left of the time. */
        const untilEnd = async () => {
          const end = clock.monotonic() + seconds * 1000
          for (;;) {
            const leftMs = Math.max(0, Math.round(end - clock.monotonic()))
            try {
              return await ask(leftMs, signal)
            } catch (error) {
              const passes = ConnectError.from(error).code === Code.Unavailable
              if (!passes || signal.aborted || leftMs === 0) throw error
            }
            await clock.sleep(AGAIN_MS, signal)
          }
        }
        const leave = () => ending.abort()
        open.add(ending)
        exchange.res.once('close', leave)
        exchange.onHurry = leave
        try {
          if (isStopping || exchange.isHurried) return await ask(0)
          return await untilEnd().catch(error => {
            if (exchange.res.destroyed) throw new CallerGone('the caller left while it waited')
            if (signal.aborted) return ask(0)
            throw error
          })
        } catch (error) {
          if (error instanceof CallerGone) throw error
          log.warn('wait.failed', { request_id: exchange.requestId, error })
          return await ask(0).catch(() => unchanged(false))
        } finally {
          exchange.res.off('close', leave)
          exchange.onHurry = undefined
          open.delete(ending)
        }
      }
      return { scope, until }
    },
    take: caller => places.take(caller),
    stop() {
      isStopping = true
      for (const ending of open) ending.abort()
    },
  }
}

type Fields = Record<string, unknown>

/** What a resource that can be waited for has. */
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
