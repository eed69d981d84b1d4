/** One call in this process: what its handler sees of it, and how it ends early. */
import type { DescMethod, DescService } from '@bufbuild/protobuf'
import {
  Code,
  ConnectError,
  type ContextValues,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type UnaryRequest,
} from '@connectrpc/connect'
import { asConnectError } from './handler.ts'

type HeaderInit = ConstructorParameters<typeof Headers>[0]

/** How calls name what they come by: within the process, or by what stands for a network in a test. */
export const protocols = { inProcess: 'direct', standsForNetwork: 'direct, for a network' } as const

type Protocol = (typeof protocols)[keyof typeof protocols]

/** Set for calls that another process makes, also where a transport in this process takes them to their handler. */
export const otherProcessKey = createContextKey(false, { description: 'caller in another process' })

/** Whether the caller is in this process, so that neither outlives the other. */
export const isInProcess = ({ protocolName, values }: Pick<HandlerContext, 'protocolName' | 'values'>): boolean =>
  protocolName === protocols.inProcess && !values.get(otherProcessKey)

/** Longest delay that a Node timer keeps; a longer one fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The handler's context. Headers and signal are made when they are first looked at: most calls never do. */
export class Call implements HandlerContext {
  readonly method: DescMethod
  readonly protocolName: string
  values: ContextValues
  #header: HeaderInit
  #requestHeader: Headers | undefined
  #responseHeader: Headers | undefined
  #responseTrailer: Headers | undefined
  #controller: AbortController | undefined
  #limits: Limits | undefined
  #over = false
  #cause: ConnectError | undefined

  constructor(method: DescMethod, header: HeaderInit, values: ContextValues | undefined, protocol: Protocol) {
    this.method = method
    this.protocolName = protocol
    this.#header = header
    this.values = values ?? createContextValues()
  }

  get service(): DescService {
    return this.method.parent
  }
  get requestMethod(): string {
    return 'POST'
  }
  get url(): string {
    return `direct://process/${this.method.parent.typeName}/${this.method.name}`
  }
  get requestHeader(): Headers {
    this.#requestHeader ??= new Headers(this.#header)
    return this.#requestHeader
  }
  get responseHeader(): Headers {
    this.#responseHeader ??= new Headers()
    return this.#responseHeader
  }
  get responseTrailer(): Headers {
    this.#responseTrailer ??= new Headers()
    return this.#responseTrailer
  }

  /** Fires when the call is cancelled, when its deadline passes, and when a stream has ended. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#over) this.#controller.abort(this.#cause)
    }
    return this.#controller.signal
  }

  /** Milliseconds until the deadline; below 0 once it has passed; undefined without one. */
  timeoutMs(): number | undefined {
    const deadline = this.#limits?.deadline
    return deadline === undefined ? undefined : deadline - performance.now()
  }

  /** Cancels the call when `signal` fires, or when `timeoutMs` have passed; as in Connect's clients 0 is no deadline. */
  limit(signal: AbortSignal | undefined, timeoutMs: number | undefined): void {
    const limits: Limits = { waiting: new Set(), release: [] }
    this.#limits = limits
    if (signal?.aborted) {
      this.cancel(canceled(signal.reason))
      return
    }
    if (signal) {
      const onAbort = () => this.cancel(canceled(signal.reason))
      signal.addEventListener('abort', onAbort)
      limits.release.push(() => signal.removeEventListener('abort', onAbort))
    }
    if (timeoutMs !== undefined && timeoutMs > 0) {
      limits.deadline = performance.now() + timeoutMs
      const timer = setTimeout(() => this.cancel(deadlineExceeded()), Math.min(timeoutMs, LONGEST_TIMER_MS))
      limits.release.push(() => clearTimeout(timer))
    }
  }

  /** Takes over what an interceptor put in the place of the call's own header, values or signal. */
  adopt(request: Pick<UnaryRequest, 'header' | 'contextValues' | 'signal'>): void {
    this.#requestHeader = request.header
    this.values = request.contextValues
    const { signal } = request
    if (signal === this.signal) return
    if (signal.aborted) this.cancel(canceled(signal.reason))
    else signal.addEventListener('abort', () => this.cancel(canceled(signal.reason)), { signal: this.signal })
  }

  /** Settles as `work` does, unless the call is cancelled before. */
  until<T>(work: PromiseLike<T> | T): Promise<T> {
    const waiting = this.#limits?.waiting
    if (waiting === undefined) return Promise.resolve(work)
    return new Promise<T>((resolve, reject) => {
      // The work may have begun, and cancelled its own call, before it was given to us.
      if (this.#cause !== undefined) reject(this.#cause)
      waiting.add(reject)
      Promise.resolve(work).then(
        value => {
          waiting.delete(reject)
          resolve(value)
        },
        (reason: unknown) => {
          waiting.delete(reject)
          reject(reason)
        },
      )
    })
  }

  /** What the call fails with: as over a network, the headers and trailers that its handler had set come with it. */
  failure(reason: unknown): ConnectError {
    const error = asConnectError(reason)
    const lines = [...(this.#responseHeader ?? []), ...(this.#responseTrailer ?? [])]
    if (lines.length === 0) return error
    const { rawMessage, code, details, cause } = error
    const told = new ConnectError(rawMessage, code, [...error.metadata, ...lines], undefined, cause)
    told.details = details
    return told
  }

  get over(): boolean {
    return this.#over
  }

  throwIfCancelled(): void {
    if (this.#cause !== undefined) throw this.#cause
  }

  cancel(cause: ConnectError): void {
    if (this.#over) return
    this.#cause = cause
    const waiting = this.#limits?.waiting
    this.end()
    for (const reject of waiting ?? []) reject(cause)
  }

  /**
   * Ends the call. A stream's signal fires, so that what its handler left behind stops. That of a unary call that was
   * answered has nothing left to stop, and firing it costs more than the rest of the call.
   */
  end(): void {
    if (this.#over) return
    this.#over = true
    if (this.#limits !== undefined) for (const release of this.#limits.release) release()
    if (this.#cause !== undefined || this.method.methodKind !== 'unary') this.#controller?.abort(this.#cause ?? ended)
  }
}

interface Limits {
  /** On the clock of `performance.now()`. */
  deadline?: number
  readonly waiting: Set<(cause: ConnectError) => void>
  readonly release: (() => void)[]
}

/** Made once: the one that Node makes has a stack, and costs more than the rest of the end. */
const ended = new ConnectError('the call has ended', Code.Canceled)

const canceled = (reason: unknown) => ConnectError.from(reason, Code.Canceled)

const deadlineExceeded = () => new ConnectError('the operation timed out', Code.DeadlineExceeded)
