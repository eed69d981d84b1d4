/** Checks of a request's head that node does not make. */
import type { IncomingMessage } from 'node:http'
import { fail } from '@millhand/api'

/** Fails with `invalid_parameter`. Called for every request, so an accepted host is not checked again. */
export function createHeadCheck(): (req: IncomingMessage) => void {
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
