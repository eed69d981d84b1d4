/**
 * Calls to the API server of one cluster. The official client reads the configuration and authenticates; the calls are ours:
 * docs/decisions/kubernetes-driver.md
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { HttpMethod, KubeConfig, RequestContext } from '@kubernetes/client-node'
import { type Dispatcher, request } from 'undici'
import { DriverFault } from '../driver.ts'

export interface Cluster extends AsyncDisposable {
  /** The URL of its API server. */
  readonly name: string
  /** The parsed answer. Throws `ClusterError`, or `DriverFault` `unavailable` where the server does not answer or is overloaded. */
  call<T>(method: Method, path: string, options: CallOptions): Promise<T>
  /** An answer without an end. Ends with `signal`. */
  stream(path: string, options: CallOptions): Promise<Dispatcher.ResponseData['body']>
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

interface CallOptions {
  readonly signal: AbortSignal
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly contentType?: string
  /** Milliseconds until a server that has not answered counts as lost; 10 s where it is not given. */
  readonly timeoutMs?: number
}

/** The API server has refused a call. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The configuration of a file, or where none is given that of the pod in which this process runs. Throws where it is wrong. */
export function kubeConfigOf(file: string | undefined): KubeConfig {
  const config = new KubeConfig()
  if (file === undefined && process.env.KUBERNETES_SERVICE_HOST === undefined)
    throw new Error('no file is set, and this process does not run in a pod')
  if (file === undefined) config.loadFromCluster()
  else config.loadFromFile(file)
  const server = config.getCurrentCluster()?.server
  if (server === undefined || !URL.canParse(server)) throw new Error('it names no cluster')
  return config
}

const UNREACHABLE = 'The Kubernetes cluster does not answer.'
/** A server that is overloaded has not begun what it answers with 429: the call is made again so often. */
const TRIES = 5

export function createCluster(config: KubeConfig): Cluster {
  const origin = (config.getCurrentCluster()?.server ?? '').replace(/\/$/, '')
  // The client makes a dispatcher for every call, which would be a connection for every call: the first is kept while it works.
  let kept: Dispatcher | undefined

  async function authenticated(method: Method, url: URL) {
    const context = new RequestContext(url.toString(), HttpMethod[method])
    await config.applySecurityAuthentication(context)
    kept ??= context.getDispatcher() as Dispatcher | undefined
    return { headers: context.getHeaders(), ...(kept && { dispatcher: kept }) }
  }

  async function send(method: Method, path: string, options: CallOptions): Promise<Dispatcher.ResponseData> {
    const { signal, query = {}, body, contentType = 'application/json', timeoutMs = 10_000 } = options
    const url = new URL(`${origin}${path}`)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))
    const answering = new AbortController()
    const timer = setTimeout(() => answering.abort(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs)
    try {
      const { headers, dispatcher } = await authenticated(method, url)
      return await request(url, {
        ...{ method, signal: AbortSignal.any([signal, answering.signal]), ...(dispatcher && { dispatcher }) },
        headers: { ...headers, ...(body !== undefined && { 'content-type': contentType }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...{ headersTimeout: 0, bodyTimeout: 0 },
      })
    } catch (error) {
      signal.throwIfAborted()
      kept = undefined // Streams that work keep theirs.
      throw new DriverFault('unavailable', UNREACHABLE, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  async function answered(method: Method, path: string, options: CallOptions): Promise<Dispatcher.ResponseData> {
    for (let attempt = 1; ; attempt++) {
      const answer = await send(method, path, options)
      if (answer.statusCode < 400) return answer
      const text = await answer.body.text().catch(() => '')
      const error = new ClusterError(answer.statusCode, messageOf(text))
      if (answer.statusCode === 429 && attempt < TRIES) {
        const seconds = Number(answer.headers['retry-after'] ?? 1)
        await sleep(Math.min(10, Number.isNaN(seconds) ? 1 : seconds) * 1000, undefined, options)
      } else if (answer.statusCode === 429 || answer.statusCode >= 500)
        throw new DriverFault('unavailable', UNREACHABLE, { cause: error })
      else throw error
    }
  }

  return {
    name: origin,
    async call<T>(method: Method, path: string, options: CallOptions) {
      const { body } = await answered(method, path, options)
      try {
        return (await body.json()) as T
      } catch (error) {
        options.signal.throwIfAborted()
        throw new DriverFault('unavailable', UNREACHABLE, { cause: error })
      }
    },
    stream: async (path, options) => (await answered('GET', path, options)).body,
    async [Symbol.asyncDispose]() {
      await kept?.destroy()
    },
  }
}

/** Of a `Status`. */
function messageOf(text: string): string {
  try {
    return String(JSON.parse(text).message)
  } catch {
    return text.slice(0, 1000)
  }
}

/** What a call answers, or undefined where its object is not there. */
export async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof ClusterError && error.status === 404) return undefined
    throw error
  }
}

/** The same for one that conflicts: another call was faster. */
export async function unlessConflict<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof ClusterError && error.status === 409) return undefined
    throw error
  }
}
