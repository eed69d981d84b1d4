/** A closed-loop HTTP/1.1 load generator on bare sockets: each connection sends its next request when it has an answer. */
import type { Answer } from './answer-reader.ts'
import { type Connection, openConnection } from './connection.ts'
import { histogram } from './histogram.ts'

export interface Load {
  readonly host: string
  readonly port: number
  readonly connections: number
  /** Whole requests, head and body, as they go over the wire; sent in turn. `httpRequest` makes them. */
  readonly requests: readonly string[]
  /** What a good answer is: its status and, where given, a text that its body holds. All others are failures. */
  readonly expect: { readonly status: number; readonly body?: string }
  /** When to stop sending: after so many seconds, or so many requests. */
  readonly until: { readonly seconds: number } | { readonly requests: number }
  /** Sends so many a second, evenly, whatever comes back; latency then counts from when a request was due. */
  readonly pace?: number
}

export interface LoadResult {
  /** Good answers a second: those that came in time, over the time. */
  readonly perSecond: number
  /** All good answers, also those that came while the last ones were awaited. */
  readonly good: number
  readonly failed: number
  /** The first failure, for people. */
  readonly firstFailure?: string
  /** Of the good answers, from the request's send to the answer's last byte, in milliseconds. */
  readonly latency: { readonly p50: number; readonly p90: number; readonly p99: number; readonly max: number }
  /** Bytes of the body of the last good answer. */
  readonly bodyBytes: number
}

/** Connects, then runs the load. Rejects when a connection breaks: a server under test keeps them alive. */
export async function load(plan: Load): Promise<LoadResult> {
  const sockets: Connection[] = []
  try {
    for (let i = 0; i < plan.connections; i += 1) sockets.push(await openConnection(plan))
    return await run(plan, sockets)
  } finally {
    for (const { socket } of sockets) socket.destroy()
  }
}

function run(plan: Load, senders: readonly Connection[]): Promise<LoadResult> {
  const requests = plan.requests.map(text => Buffer.from(text))
  const mostRequests = 'requests' in plan.until ? plan.until.requests : Number.POSITIVE_INFINITY
  const latencies = histogram()
  let sent = 0
  let open = senders.length
  let inTime = 0
  let good = 0
  let failed = 0
  let firstFailure: string | undefined
  let bodyBytes = 0

  return new Promise((resolve, reject) => {
    const start = performance.now()
    const deadline = 'seconds' in plan.until ? start + plan.until.seconds * 1000 : Number.POSITIVE_INFINITY
    let last = start
    for (const sender of senders) {
      let sentAt = 0
      const send = (now: number) => {
        const request = requests[sent % requests.length] as Buffer
        const due = plan.pace === undefined ? now : start + (sent / plan.pace) * 1000
        sent += 1
        sentAt = due
        if (due <= now) sender.socket.write(request)
        else setTimeout(() => sender.socket.write(request), due - now)
      }
      sender.onAnswer = answer => {
        const now = performance.now()
        if (isGood(answer, plan.expect)) {
          latencies.record((now - sentAt) * 1000)
          good += 1
          bodyBytes = answer.body.length
          if (now <= deadline) {
            inTime += 1
            last = now
          }
        } else {
          failed += 1
          firstFailure ??= `${answer.head.toString('latin1')}\n${answer.body.toString('utf8', 0, 1000)}`
        }
        next(now)
      }
      sender.onBroken = reject
      const next = (now: number) => {
        if (now < deadline && sent < mostRequests) send(now)
        else if (--open === 0) resolve(result())
      }
      next(start)
    }

    function result(): LoadResult {
      const seconds = 'seconds' in plan.until ? plan.until.seconds : (last - start) / 1000
      const ms = (share: number) => latencies.quantile(share) / 1000
      return {
        perSecond: inTime / seconds,
        good,
        failed,
        ...(firstFailure !== undefined && { firstFailure }),
        latency: { p50: ms(0.5), p90: ms(0.9), p99: ms(0.99), max: latencies.max / 1000 },
        bodyBytes,
      }
    }
  })
}

function isGood({ status, body }: Answer, expect: Load['expect']): boolean {
  return status === expect.status && (expect.body === undefined || body.includes(expect.body))
}
