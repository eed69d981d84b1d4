/** The one way in which Millhand posts to an address that a customer gave. */
import { isIP } from 'node:net'
import type { Clock } from '@millhand/process'
import type { AddressRanges } from './address-ranges.ts'
import type { Connection, Reply } from './connection.ts'
import { DialFailure, type FailureCode, orAbort } from './failure.ts'
import { connectFirst } from './happy-eyeballs.ts'
import { createHttp1 } from './http1.ts'
import { openHttp2 } from './http2.ts'
import { localAddresses } from './local-names.ts'
import { createPool } from './pool.ts'
import type { Resolver } from './resolver.ts'
import { createTrust, startTls } from './start-tls.ts'
import { readTarget, type Target } from './target.ts'
import { type TimeLimit, timeLimit } from './time-limit.ts'

export interface Dialer {
  /**
   * Posts once; again, on a new connection, only where a kept one was closed before a byte of an answer came, or the
   * server says that it has not begun. Follows no redirect. Resolves whatever comes of it.
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
    if (!isSecure) return createHttp1(socket, clock)
    const tls = await startTls(socket, { host, secureContext }, signal)
    return tls.alpnProtocol === 'h2' ? openHttp2(tls, clock, signal) : createHttp1(tls, clock)
  }
}
