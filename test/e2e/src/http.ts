import { Agent, type IncomingHttpHeaders, request } from 'node:http'

/** A JSON value as it came over the wire: what a test reads from it, it asserts. */
// biome-ignore lint/suspicious/noExplicitAny: a black-box test knows no types of the thing that it tests
export type Wire = any

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as it came. */
  readonly bytes: Buffer
  /** The body as JSON; throws where it is none. */
  readonly body: Wire
}

export interface RequestOptions {
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as it is; `content-type` is the caller's to name. */
  readonly raw?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  readonly agent?: Agent
  readonly signal?: AbortSignal
}

/** One request to `url`. Resolves for every status; rejects when no whole answer came. */
export function send(method: string, url: string, options: RequestOptions = {}): Promise<Answer> {
  const { json, raw, agent = connections, signal } = options
  const payload = json === undefined ? raw : JSON.stringify(json)
  const headers: Record<string, string | number> = { ...options.headers }
  if (json !== undefined) headers['content-type'] ??= 'application/json'
  if (payload !== undefined) headers['content-length'] = Buffer.byteLength(payload)
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent, ...(signal && { signal }) }, incoming => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const text = bytes.toString('utf8')
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text,
          bytes,
          get body(): Wire {
            return JSON.parse(text)
          },
        })
      })
    })
    outgoing.on('error', reject)
    outgoing.on('close', () => reject(new Error(`${method} ${url}: the connection closed before the answer was whole`)))
    outgoing.end(payload)
  })
}

/** Long before the server ends idle connections: on a full machine a request could meet that end. */
const IDLE_MS = 20_000

/** Keep-alive, and no hindrance to the end of the test process. */
const connections = new Agent({ keepAlive: true, maxSockets: 256, timeout: IDLE_MS })
