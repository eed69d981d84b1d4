/** The body of a request as it comes. */
import { CallerGone, type Exchange } from '../exchange.ts'
import { sayContinue } from '../transcode/read-body.ts'

/**
 * The bytes of a request's body, for one reader. The socket is read only on demand, apart from a buffer of node's. A
 * caller that waits for `100 Continue` gets it with the first read. Fails with `CallerGone`, also when the caller sends
 * nothing within its timeout; then it has been answered 408.
 */
export class Body implements AsyncIterableIterator<Buffer> {
  readonly #exchange: Exchange
  #isAskedFor = false
  #isOver = false
  #waiting: PromiseWithResolvers<IteratorResult<Buffer>> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(exchange: Exchange) {
    this.#exchange = exchange
    exchange.allowsSlowBody = true
    const { req } = exchange
    req.on('readable', this.#deliver).on('end', this.#deliver).on('error', this.#deliver).on('close', this.#deliver)
  }

  next(): Promise<IteratorResult<Buffer>> {
    if (!this.#isAskedFor) {
      this.#isAskedFor = true
      sayContinue(this.#exchange)
    }
    this.#waiting = Promise.withResolvers()
    const { promise } = this.#waiting
    this.#deliver()
    // Only the caller can keep this waiting.
    if (this.#waiting !== undefined) {
      this.#timer = setTimeout(() => this.#exchange.timeOut(), this.#exchange.timeouts.senderMs)
    }
    return promise
  }

  /** Reads no more: what is left of the body is for the answer to deal with. */
  return(): Promise<IteratorResult<Buffer>> {
    const { req } = this.#exchange
    this.#isOver = true
    req.off('readable', this.#deliver).off('end', this.#deliver).off('error', this.#deliver).off('close', this.#deliver)
    this.#deliver()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  readonly #deliver = () => {
    const waiting = this.#waiting
    if (waiting === undefined) return
    const { req } = this.#exchange
    const chunk: Buffer | null = this.#isOver ? null : req.read()
    const isAtEnd = this.#isOver || req.readableEnded
    if (chunk === null && !isAtEnd && !req.destroyed) return
    clearTimeout(this.#timer)
    this.#waiting = undefined
    if (chunk !== null) waiting.resolve({ done: false, value: chunk })
    else if (isAtEnd) waiting.resolve({ done: true, value: undefined })
    else waiting.reject(new CallerGone('the caller went away'))
  }
}
