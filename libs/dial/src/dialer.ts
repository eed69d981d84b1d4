/** The one way in which Millhand posts to an address that a customer gave. */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Clock } from '@millhand/process'
import type { AddressRanges } from './address-ranges.ts'
import { type Connection, createConnection, type Reply } from './connection.ts'
import { DialFailure, type FailureCode, orAbort } from './failure.ts'
import { connectFirst } from './happy-eyeballs.ts'
import { createPool } from './pool.ts'
import type { Resolver } from './resolver.ts'
import { createTrust, startTls } from './start-tls.ts'
import { readTarget, type Target } from './target-policy.ts'

export interface Dialer {
  /**
   * Posts once; again, on a new connection, only where a kept one was closed before a byte of an answer came. Follows no
   * redirect. Resolves whatever comes of it.
   */
  post(request: PostRequest, signal: AbortSignal): Promise<PostResult>
  /** Waits for the posts that are under way, which their signals can cut short, and closes every connection. Idempotent. */
  close(): Promise<void>
}

export interface PostRequest {
  readonly url: string
  /** Names are lower-case. Not those that HTTP itself needs: they are made here. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Whether plain `http` may go anywhere, not just to what the operator allows. */
  readonly plainHttp: boolean
  /** Whose post it is: no connection is used by two. */
  readonly partition: string
}

/** `ms`: how long it took, without what it waited for one of its connections to be free. */
export type PostResult =
  | {
      readonly kind: 'answered'
      /** 200 and above. */
      readonly status: number
      /** As it was sent: seconds or a date, or neither. */
      readonly retryAfter?: string
      /** Of the first 4 KiB of the body: well-formed text. */
      readonly excerpt: string
      readonly ms: number
    }
  | {
      readonly kind: 'failed'
      readonly code: FailureCode
      /** For whoever owns the endpoint: nothing in it comes from outside. */
      readonly message: string
      readonly ms: number
    }

export interface DialerOptions {
  /** What may be dialled beyond the public internet. */
  readonly allow: AddressRanges
  /** Whoever makes it closes it. */
  readonly resolver: Resolver
  readonly clock: Clock
  /**
   * From when there is a place for a connection, before which it waits no longer than this, to the head of the answer.
   * In milliseconds.
   */
  readonly timeoutMs?: number
  /** How many connections are open at once. */
  readonly maxSockets?: number
  readonly maxSocketsPerPartition?: number
  /** PEM: the authorities that certificates may be from, instead of Node's and of `NODE_EXTRA_CA_CERTS`. */
  readonly ca?: string
}

export function createDialer(options: DialerOptions): Dialer {
  const { allow, resolver, clock, timeoutMs = 15_000, maxSockets = 1_000, maxSocketsPerPartition = 16, ca } = options
  const secureContext = createTrust(ca)
  const pool = createPool({ clock, maxSockets, maxSocketsPerPartition })
  const underWay = new Set<Promise<PostResult>>()
  let closing: Promise<void> | undefined

  return {
    post(request, signal) {
      const answer = post(request, signal)
      underWay.add(answer)
      const over = () => underWay.delete(answer)
      answer.then(over, over)
      return answer
    },
    close() {
      closing ??= Promise.allSettled(underWay).then(() => pool.close())
      return closing
    },
  }

  async function post(request: PostRequest, signal: AbortSignal): Promise<PostResult> {
    const limit = timeLimit(clock, timeoutMs, signal)
    try {
      if (closing !== undefined) throw new DialFailure('aborted', 'no more is posted')
      limit.signal.throwIfAborted()
      const target = readTarget(request.url, { plainHttp: request.plainHttp, allow })
      if ('fault' in target) throw new DialFailure('address_refused', `the URL ${target.fault}`)
      const reply = await postTo(target, request, limit)
      return { kind: 'answered', ...reply, ms: limit.elapsed() }
    } catch (error) {
      if (!(error instanceof DialFailure)) throw error
      return { kind: 'failed', code: error.code, message: error.message, ms: limit.elapsed() }
    } finally {
      limit.end()
    }
  }

  async function postTo(target: Target, request: PostRequest, { signal, restart }: TimeLimit): Promise<Reply> {
    const { authority, path } = target
    // A connection that plain HTTP was allowed on is none for a post that may not go to where it leads.
    const scheme = target.secure ? 'https' : request.plainHttp ? 'http' : 'http, allowed'
    for (let isFresh = false; ; isFresh = true) {
      const { connection, release } = await pool.acquire(
        {
          partition: request.partition,
          target: `${scheme}//${authority}`,
          isFresh,
          open: until => open(target, until),
          onTurn: restart,
        },
        signal,
      )
      try {
        return await connection.post({ authority, path, headers: request.headers, body: request.body }, signal)
      } catch (error) {
        if (isFresh || !(error instanceof DialFailure && error.repeatable)) throw error
      } finally {
        release()
      }
    }
  }

  async function open(
    { host, port, secure: isSecure, local, mayReach }: Target,
    signal: AbortSignal,
  ): Promise<Connection> {
    const addresses =
      isIP(host) !== 0
        ? [host]
        : await orAbort(local ? localAddresses(host, resolver) : resolver.addresses(host), signal)
    const socket = await connectFirst({ addresses, port, mayReach }, clock, signal)
    return createConnection(isSecure ? await startTls(socket, { host, secureContext }, signal) : socket, clock)
  }
}

/**
 * All addresses of a name as any program on this machine finds it, with files and search domains. The caller dials only
 * those that the operator allows.
 */
async function localAddresses(name: string, resolver: Pick<Resolver, 'works'>): Promise<readonly string[]> {
  try {
    const found = await lookup(name, { all: true })
    return found.map(({ address }) => address)
  } catch (error) {
    throw await lookupFailure(error, resolver)
  }
}

/** The machine says the same of a name whose own servers fail and of all names while there is no resolver: EAI_AGAIN. */
export async function lookupFailure(error: unknown, resolver: Pick<Resolver, 'works'>): Promise<DialFailure> {
  if (error instanceof Error && 'code' in error && error.code === 'ENOTFOUND') {
    return new DialFailure('dns_failed', 'the name does not exist')
  }
  if (await resolver.works()) return new DialFailure('dns_failed', 'the name can not be looked up')
  return new DialFailure('dns_unavailable', 'no DNS server can be asked')
}

/** How long a post may take, and that its caller may give it up, in one signal. */
interface TimeLimit {
  /** Fires with a DialFailure. */
  readonly signal: AbortSignal
  /** Since the time began, in milliseconds. */
  elapsed(): number
  /** The time begins anew. */
  restart(): void
  /** It fires no more. */
  end(): void
}

function timeLimit(clock: Clock, ms: number, given: AbortSignal): TimeLimit {
  const stop = new AbortController()
  const onAbort = () => stop.abort(new DialFailure('aborted', 'the post was given up'))
  const onTimeout = () => stop.abort(new DialFailure('timeout', 'no answer came in time'))
  let began = clock.monotonic()
  let timer = clock.timer(ms, onTimeout)
  given.addEventListener('abort', onAbort)
  if (given.aborted) onAbort()
  return {
    signal: stop.signal,
    elapsed: () => clock.monotonic() - began,
    restart() {
      timer.cancel()
      began = clock.monotonic()
      timer = clock.timer(ms, onTimeout)
    },
    end() {
      timer.cancel()
      given.removeEventListener('abort', onAbort)
    },
  }
}
