/** One call of another process, from its first frame to its answer. */
import {
  type DescMethod,
  type DescMethodStreaming,
  type DescMethodUnary,
  fromBinary,
  type Message,
  toBinary,
} from '@bufbuild/protobuf'
import { Code, ConnectError, type ContextValues, type Transport } from '@connectrpc/connect'
import { type Begin, type Frame, Signal } from '@millhand/api/gen/millhand/rpc/v1/tunnel_pb.ts'
import { binaryOptions } from '../binary-options.ts'
import { canceled, endFrame, tooLarge, violation } from './call-errors.ts'
import { answerFrame, creditFrame, headerFrame, type Kind, messageFrame } from './frames.ts'
import { HeaderLines, linesOf } from './header-lines.ts'
import { pump } from './pump.ts'
import type { SendQueue } from './send-queue.ts'
import { ReceiveQueue, SendWindow, WINDOW_BYTES } from './window.ts'

export interface IncomingCallOptions {
  readonly id: number
  readonly method: DescMethod
  readonly begin: Begin
  readonly values: ContextValues
  /** Where the call goes. */
  readonly transport: Transport
  readonly sendQueue: SendQueue
  readonly maxMessageBytes: number
  /** So many bytes more (or less, where negative) of requests are held for the call. */
  readonly hold: (bytes: number) => void
  /** The last frame of the call. Called once. */
  readonly finish: (frame: Frame) => void
}

export class IncomingCall {
  readonly #options: IncomingCallOptions
  readonly #abort = new AbortController()
  #requests: ReceiveQueue | undefined
  #window: SendWindow | undefined
  #over = false

  constructor(options: IncomingCallOptions) {
    this.#options = options
    options.hold(options.begin.message.length)
  }

  /** Calls the handler. */
  start(): void {
    if (this.#options.method.methodKind === 'unary') void this.#unary()
    else void this.#stream()
  }

  receive(kind: Kind): void {
    switch (kind.case) {
      case 'message':
        if (this.#requests === undefined) this.stop(violation('a message for a method that takes one'))
        else this.#push(this.#requests, kind.value)
        return
      case 'credit':
        this.#window?.grant(kind.value)
        return
      case 'signal':
        if (kind.value === Signal.HALF_CLOSE) this.#requests?.end()
        else if (kind.value === Signal.CANCEL) this.stop(canceled('the caller cancelled'))
        return
      default:
        this.stop(violation(`a caller sent "${kind.case}"`))
    }
  }

  /** Ends the call with an error; its handler's signal fires. Idempotent. */
  stop(error: ConnectError): void {
    if (this.#over) return
    this.#finish(endFrame(this.#options.id, [], error))
    this.#requests?.end(error, true)
    this.#abort.abort(error)
  }

  async #unary(): Promise<void> {
    const { id, method, begin, values, transport } = this.#options
    try {
      const answer = await transport.unary(
        method as DescMethodUnary,
        this.#abort.signal,
        timeoutOf(begin),
        headerOf(begin),
        parse(method, begin.message),
        values,
      )
      if (this.#over) return
      const message = toBinary(method.output, answer.message)
      this.#finish(answerFrame(id, message, linesOf(answer.header), linesOf(answer.trailer)))
    } catch (reason) {
      this.#finish(endFrame(id, [], reason))
    }
  }

  async #stream(): Promise<void> {
    const { id, method, begin, values, transport, sendQueue } = this.#options
    try {
      const answer = await transport.stream(
        method as DescMethodStreaming,
        this.#abort.signal,
        timeoutOf(begin),
        headerOf(begin),
        this.#input(),
        values,
      )
      if (this.#over) return
      const header = linesOf(answer.header)
      if (header.length > 0) sendQueue.push(headerFrame(id, header))
      const window = new SendWindow(begin.credit)
      this.#window = window
      await pump(answer.message[Symbol.asyncIterator](), method.output, window, sendQueue, message => {
        sendQueue.push(messageFrame(id, message))
      })
      if (!this.#over) this.#finish(endFrame(id, linesOf(answer.trailer)))
    } catch (reason) {
      this.#finish(endFrame(id, [], reason))
    } finally {
      // The handler may go on after an answer that could not be sent.
      this.#abort.abort()
    }
  }

  #input(): AsyncIterable<Message> {
    const { id, method, begin, sendQueue, hold } = this.#options
    if (method.methodKind === 'server_streaming') return only(parse(method, begin.message))
    this.#requests = new ReceiveQueue({
      desc: method.input,
      hold,
      grant: credit => sendQueue.push(creditFrame(id, credit)),
      leave: () => {},
    })
    sendQueue.push(creditFrame(id, WINDOW_BYTES))
    return this.#requests
  }

  #push(requests: ReceiveQueue, message: Uint8Array): void {
    const { maxMessageBytes } = this.#options
    try {
      if (message.length > maxMessageBytes) throw tooLarge(message.length, maxMessageBytes)
      requests.push(message)
    } catch (reason) {
      this.stop(ConnectError.from(reason))
    }
  }

  #finish(frame: Frame): void {
    if (this.#over) return
    this.#over = true
    this.#window?.close()
    this.#requests?.end(undefined, true)
    this.#options.hold(-this.#options.begin.message.length)
    this.#options.finish(frame)
  }
}

/** As Connect has it, 0 is no deadline. */
const timeoutOf = ({ timeoutMs }: Begin) => (timeoutMs === 0 ? undefined : timeoutMs)

/** `Headers` takes any iterable of pairs; its type does not say so. */
const headerOf = ({ header }: Begin) => new HeaderLines(header) as unknown as [string, string][]

function parse(method: DescMethod, bytes: Uint8Array): Message {
  try {
    return fromBinary(method.input, bytes, binaryOptions)
  } catch (cause) {
    const text = `the request is not a ${method.input.typeName}`
    throw new ConnectError(text, Code.InvalidArgument, undefined, undefined, cause)
  }
}

async function* only(message: Message): AsyncGenerator<Message> {
  yield message
}
