/** HTTP calls to one Docker engine (https://docs.docker.com/reference/api/engine/). */
import type { Readable } from 'node:stream'
import { Agent, type Dispatcher, request } from 'undici'
import { DriverFault } from '../driver.ts'

export interface Engine extends AsyncDisposable {
  /** The parsed JSON of the answer. Throws `EngineError`, or `DriverFault` `unavailable` where the engine does not answer. */
  call(method: 'GET' | 'POST' | 'DELETE', path: string, options: CallOptions): Promise<unknown>
  /** An answer without an end. Ends with `signal`. */
  stream(method: 'GET' | 'POST', path: string, options: CallOptions): Promise<Readable>
  /** Whether it left the latest call that ended without an answer. */
  readonly isSilent: boolean
}

interface CallOptions {
  readonly signal: AbortSignal
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Milliseconds until an engine that has not answered counts as lost, with the whole of an answer of `call`, and with the begin
   * of one of `stream`; 10 s where it is not given.
   */
  readonly timeoutMs?: number
}

export interface EngineAddress {
  /** `unix:///var/run/docker.sock`, `tcp://host:2375`, or with `tls` `tcp://host:2376`. */
  readonly url: string
  /** PEM texts. */
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string }
}

/** The engine has refused a call. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The newest version of the API that we know; engines from 20.10 on speak it or an older one. */
const NEWEST: readonly [number, number] = [1, 51]

export function createEngine({ url, tls }: EngineAddress): Engine {
  const { protocol, host, pathname } = new URL(url)
  if (protocol !== 'unix:' && protocol !== 'tcp:') throw new Error(`${url} is neither unix:// nor tcp://`)
  const connect = protocol === 'unix:' ? { socketPath: pathname } : { ...tls }
  // A stream of events or of lines is silent for as long as nothing happens.
  const dispatcher = new Agent({ connect: { ...connect, timeout: 5000 }, bodyTimeout: 0, headersTimeout: 0 })
  const origin = protocol === 'unix:' ? 'http://docker' : `${tls === undefined ? 'http' : 'https'}://${host}`
  let version: Promise<string> | undefined
  let isSilent = false

  /** `read` takes from the answer what is wanted of it, in the same time. */
  async function send<T>(
    method: Dispatcher.HttpMethod,
    path: string,
    { signal, body, headers, timeoutMs = 10_000 }: CallOptions,
    read: (answer: Dispatcher.ResponseData) => T | Promise<T>,
  ): Promise<T> {
    const answering = new AbortController()
    const timer = setTimeout(() => answering.abort(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs)
    try {
      const answer = await request(`${origin}${path}`, {
        dispatcher,
        method,
        signal: AbortSignal.any([signal, answering.signal]),
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        body: body === undefined ? null : JSON.stringify(body),
      })
      isSilent = false
      if (answer.statusCode < 400) return await read(answer)
      throw new EngineError(answer.statusCode, messageOf(await answer.body.text()))
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof EngineError) throw error
      isSilent = true
      throw new DriverFault('unavailable', 'The container engine does not answer.', { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  async function versioned(path: string, { signal, timeoutMs }: CallOptions): Promise<string> {
    version ??= send(
      'GET',
      '/_ping',
      { signal, ...(timeoutMs !== undefined && { timeoutMs }) },
      async ({ headers, body }) => {
        await body.dump()
        return spoken(headers['api-version'])
      },
    )
    try {
      return `/v${await version}${path}`
    } catch (error) {
      version = undefined
      throw error
    }
  }

  return {
    async call(method, path, options) {
      return await send(method, await versioned(path, options), options, async ({ body }) => {
        const text = await body.text()
        return text === '' ? undefined : JSON.parse(text)
      })
    },
    async stream(method, path, options) {
      return await send(method, await versioned(path, options), options, ({ body }) => body)
    },
    get isSilent() {
      return isSilent
    },
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  }
}

function spoken(theirs: string | string[] | undefined): string {
  const [major = 1, minor = 41] = String(theirs ?? '1.41')
    .split('.')
    .map(Number)
  const isNewer = major > NEWEST[0] || (major === NEWEST[0] && minor > NEWEST[1])
  return isNewer ? NEWEST.join('.') : `${major}.${minor}`
}

function messageOf(body: string): string {
  try {
    const { message } = JSON.parse(body)
    return typeof message === 'string' ? message : body
  } catch {
    return body
  }
}

/** The values of an answer that is one JSON value a line. */
export async function* jsonLines(stream: Readable): AsyncGenerator<Record<string, unknown>> {
  let rest = ''
  for await (const chunk of stream.setEncoding('utf8')) {
    rest += chunk
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line)
  }
}
