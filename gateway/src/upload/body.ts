/** The body of a request as it comes. */
import { CallerGone, type Exchange } from '../exchange.ts'
import { sayContinue } from '../transcode/read-body.ts'

/**
 * The bytes of a request's body, for one reader. Nothing is read from the socket that is not asked for, but for a buffer
 * of node's. One that waits for `100 Continue` gets it when it is first asked for. Fails with `CallerGone`, also when the
 * caller sends nothing in the time that it has; then it has been told so.
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
    // Whoever waits, waits for the caller.
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
