/** The usual request of HTTP/1.1, which comes in a single read; whatever is not usual is left to node's parser. */
import type { IncomingHttpHeaders } from 'node:http'

export interface ParsedRequest {
  readonly head: ParsedHead
  readonly body: Buffer
}

/** Its parts are named as node names them. */
export interface ParsedHead {
  /** As it came, up to the blank line. */
  readonly text: string
  readonly method: 'GET' | 'POST'
  readonly url: string
  /** By their names in lower case; none came twice. */
  readonly headers: IncomingHttpHeaders
}

/**
 * The request that these bytes are, exactly: of the API, and with a `Content-Length` where it has a body.
 * Undefined for all else, and for everything that node's parser might see in another way: it has to be asked then.
 * `before`: the head of the connection's request before, which many send again and again.
 */
export function parseRequest(bytes: Buffer, before?: ParsedHead): ParsedRequest | undefined {
  const end = bytes.indexOf(BLANK_LINE)
  if (end === -1 || end > MAX_HEAD_BYTES) return undefined
  const text = bytes.toString('latin1', 0, end)
  const head = text === before?.text ? before : parseHead(text)
  if (head === undefined) return undefined
  const body = bytes.subarray(end + BLANK_LINE.length)
  return head.headers['content-length'] === lengthOf(body, head.method) ? { head, body } : undefined
}

const BLANK_LINE = Buffer.from('\r\n\r\n')
/** Well below the most that node takes. */
const MAX_HEAD_BYTES = 4_096
const startLine = /^(GET|POST) (\/v1\/[\w\-./:?&=%,]{1,512}) HTTP\/1\.1$/

function parseHead(text: string): ParsedHead | undefined {
  const lineEnd = text.indexOf('\r\n')
  if (lineEnd === -1) return undefined
  const [, method, url] = startLine.exec(text.slice(0, lineEnd)) ?? []
  if (url === undefined) return undefined
  const headers = parseHeaders(text, lineEnd)
  return headers?.host === undefined ? undefined : { text, method: method as ParsedHead['method'], url, headers }
}

/** What a head says of the length of its body. */
const lengthOf = (body: Buffer, method: string) =>
  method === 'GET' && body.length === 0 ? undefined : String(body.length)

/** The headers behind the line that ends at `lineEnd`. */
function parseHeaders(head: string, lineEnd: number): IncomingHttpHeaders | undefined {
  const headers: IncomingHttpHeaders = Object.create(null)
  for (let from = lineEnd + 2, to: number; from <= head.length; from = to + 2) {
    to = head.indexOf('\r\n', from)
    if (to === -1) to = head.length
    const colon = head.indexOf(': ', from)
    if (colon === -1 || colon >= to) return undefined
    const name = head.slice(from, colon).toLowerCase()
    const value = head.slice(colon + 2, to)
    if (!token.test(name) || !text.test(value) || headers[name] !== undefined) return undefined
    if (leftToNode.has(name) && (name !== 'connection' || value !== 'keep-alive')) return undefined
    headers[name] = value
  }
  return headers
}

const token = /^[a-z][\w-]*$/
/** Printable ASCII without spaces at its ends. */
const text = /^[!-~](?:[ -~]*[!-~])?$/

/** What frames a message or is about its connection, and the header of which node makes a list. */
const leftToNode = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
