/** Answers requests by their endpoints, and failures by problems; counts and logs both. */
import { fail, isOurs } from '@millhand/api'
import { type Log, type Span, traceIds } from '@millhand/telemetry'
import { CallerGone, type Exchange, type Head } from './exchange.ts'
import { createMatch, type Endpoint, queryOf } from './pipeline/match.ts'
import { sendProblem } from './problem.ts'
import { beginTrace, endTrace } from './request-trace.ts'
import type { RequestCounts } from './status/request-counts.ts'
import { recordUnknown, requestRecorder } from './status/request-metrics.ts'

export interface DispatchDeps {
  readonly log: Log
  readonly counts: RequestCounts
}

/** Answers every exchange by its endpoint; never rejects. */
export function createDispatch(
  endpoints: readonly Endpoint[],
  { log, counts }: DispatchDeps,
): (exchange: Exchange) => Promise<void> {
  const checkHead = createHeadCheck()
  const match = createMatch(endpoints)
  const recorders = new Map(endpoints.map(each => [each, requestRecorder(each.method, each.pattern)]))

  return async exchange => {
    const { head } = exchange
    const started = performance.now()
    let endpoint: Endpoint | undefined
    let span: Span | undefined
    try {
      checkHead(head)
      const found = match(exchange)
      if (found !== undefined) {
        endpoint = found.store as Endpoint
        span = beginTrace(exchange, endpoint)
        // Most answer later; what answers at once need not wait for the next turn.
        const answered = endpoint.handle(exchange, found.params, queryOf(found))
        if (answered !== undefined) await answered
      }
    } catch (error) {
      if (error instanceof CallerGone) exchange.abandon()
      else if (exchange.status !== 0) {
        exchange.cut()
        log.warn('answer.broken', { ...idsOf(exchange), method: head.method, path: exchange.path, error })
      } else {
        sendProblem(exchange, error)
        logFailure(exchange, error, log)
      }
    }
    const ms = performance.now() - started
    const { status, path } = exchange
    if (span !== undefined) endTrace(span, exchange)
    const record = (endpoint && recorders.get(endpoint)) ?? recordUnknown
    record(status > 0 ? (exchange.callStatus ?? status) : status, ms, exchange.trace)
    if (endpoint?.isMeasured && exchange.mode !== 'test' && status > 0) {
      counts.add(status, exchange.isTimed && !exchange.allowsSlowBody ? ms - exchange.bodyMs : undefined)
    }
    log.debug('request.answered', { ...idsOf(exchange), method: head.method, path, status, ms })
  }
}

/** Logs 500 as an error; 502 to 504 are warnings: a service is away or too slow. */
function logFailure(exchange: Exchange, error: unknown, log: Log) {
  if (!isOurs(error)) return
  const { head, path, status } = exchange
  const what = { ...idsOf(exchange), method: head.method, path, status, error }
  log[status === 500 ? 'error' : 'warn']('request.failed', what)
}

const idsOf = (exchange: Exchange) => ({ request_id: exchange.requestId, ...traceIds(exchange.trace) })

/** Fails with `invalid_parameter`. Called for every request, so an accepted host is not checked again. */
function createHeadCheck(): (head: Head) => void {
  let accepted: string | undefined
  return ({ headers, rawHeaders, httpVersionMinor }) => {
    const { host } = headers
    if (host === undefined) {
      if (httpVersionMinor > 0) throw refusal('The request has no `Host` header.')
    } else {
      if (host !== accepted && !hostAndPort.test(host)) throw refusal('`Host` must be a host and, after `:`, its port.')
      accepted = host
    }
    const twice = repeated(rawHeaders)
    if (twice !== undefined) throw refusal(`The request has more than one \`${twice}\` header.`)
    const coding = headers['transfer-encoding']
    // RFC 9112, section 6.1: framing that HTTP/1.0 has not, so a proxy before us may have seen another end of the body.
    if (coding !== undefined && httpVersionMinor === 0) {
      throw refusal('`Transfer-Encoding` is not part of HTTP/1.0: send a `Content-Length`, or use HTTP/1.1.')
    }
    if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
      throw refusal('`Transfer-Encoding` must be `chunked` alone: nothing else is decoded.')
    }
  }
}

const refusal = (detail: string) => fail('invalid_parameter', detail)

/** The name of a repeated `Host` or `Authorization` header. Node keeps the first and drops the others. */
function repeated(rawHeaders: readonly string[]): string | undefined {
  let hosts = 0
  let authorizations = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const { length } = rawHeaders[at] as string
    if (length !== 4 && length !== 13) continue
    const name = (rawHeaders[at] as string).toLowerCase()
    if (name === 'host') hosts++
    else if (name === 'authorization') authorizations++
  }
  // RFC 9112, section 3.2; RFC 6750, section 3.1.
  return hosts > 1 ? 'Host' : authorizations > 1 ? 'Authorization' : undefined
}

/** RFC 3986, section 3.2.2: an address in brackets or a name, which may be empty, then a port. */
const hostAndPort = /^(?:\[[\w.:~!$&'()*+,;=-]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i
