/** A streaming call of this process. */
import { create, type DescMethod, type Message, toBinary } from '@bufbuild/protobuf'
import { Code, ConnectError, type StreamResponse } from '@connectrpc/connect'
import { type Begin, type End, Signal } from '@millhand/api/gen/millhand/rpc/v1/tunnel_pb.ts'
import { canceled, errorOf, tooLarge, violation } from './call-errors.ts'
import { creditFrame, type Kind, messageFrame, signalFrame } from './frames.ts'
import { HeaderLines } from './header-lines.ts'
import { type Carrier, type Dispatcher, OutgoingCall } from './outgoing-call.ts'
import { pump } from './pump.ts'
import type { SendQueue } from './send-queue.ts'
import { ReceiveQueue, SendWindow, WINDOW_BYTES } from './window.ts'

/** What carries a streaming call: its frames go on after the first. */
export interface StreamCarrier extends Carrier {
  readonly sendQueue: SendQueue
  /** The largest message that the server takes. */
  readonly maxMessageBytes: number
}

export class OutgoingStream extends OutgoingCall {
  readonly #opened = Promise.withResolvers<StreamResponse>()
  readonly #header = new Headers()
  readonly #trailer = new Headers()
  readonly #source: AsyncIterator<unknown>
  readonly #answers: ReceiveQueue
  /** Its first credit comes when the server has the call, so that nothing is sent to one that never saw it. */
  readonly #window = new SendWindow(0)
  #sending = false

  constructor(dispatcher: Dispatcher, method: DescMethod, begin: Begin, input: AsyncIterable<unknown>) {
    super(dispatcher, method, begin)
    begin.credit = WINDOW_BYTES
    this.#source = input[Symbol.asyncIterator]()
    this.#answers = new ReceiveQueue({
      desc: method.output,
      grant: credit => this.#carrier?.sendQueue.push(creditFrame(this.id, credit)),
      leave: reason => this.stop(canceled(reason ?? 'the answers are not read any more')),
    })
  }

  /** Resolves when the first of the answer is there. */
  get response(): Promise<StreamResponse> {
    return this.#opened.promise
  }

  /** Begins the call, with its request where the method takes one. */
  async open(): Promise<void> {
    if (this.method.methodKind === 'server_streaming') {
      try {
        const first = await this.#source.next()
        if (first.done) throw new ConnectError('protocol error: missing request message', Code.Unimplemented)
        this.begin.message = toBinary(this.method.input, create(this.method.input, first.value as Message))
      } catch (reason) {
        this.stop(ConnectError.from(reason, Code.Internal))
      }
    }
    this.dispatch()
  }

  override receive(kind: Kind): void {
    switch (kind.case) {
      case 'header':
        fill(this.#header, kind.value.lines)
        this.#open()
        return
      case 'message':
        this.#open()
        this.#answers.push(kind.value)
        return
      case 'credit':
        this.#window.grant(kind.value)
        if (!this.#sending) void this.#send()
        return
      case 'end':
        this.settle()
        this.#end(kind.value)
        return
      default:
        this.stop(violation(`a streaming call was answered with "${kind.case}"`))
    }
  }

  protected override fail(error: unknown): void {
    this.#stopSending()
    this.#opened.reject(error)
    this.#answers.end(error, true)
  }

  #end({ trailer, fault }: End): void {
    this.#stopSending()
    if (fault === undefined) {
      fill(this.#trailer, trailer)
      this.#open()
      this.#answers.end()
    } else {
      this.#open()
      this.#answers.end(errorOf(fault))
    }
  }

  #open(): void {
    this.#opened.resolve({
      stream: true,
      service: this.method.parent,
      method: this.method,
      header: this.#header,
      trailer: this.#trailer,
      message: this.#answers,
    } as StreamResponse)
  }

  async #send(): Promise<void> {
    this.#sending = true
    const carrier = this.#carrier
    if (this.method.methodKind === 'server_streaming' || carrier === undefined) return
    const { sendQueue, maxMessageBytes } = carrier
    try {
      await pump(this.#source, this.method.input, this.#window, sendQueue, message => {
        if (message.length > maxMessageBytes) throw tooLarge(message.length, maxMessageBytes)
        sendQueue.push(messageFrame(this.id, message))
      })
      if (!this.over) sendQueue.push(signalFrame(this.id, Signal.HALF_CLOSE))
    } catch (reason) {
      this.stop(ConnectError.from(reason, Code.Internal))
    }
  }

  #stopSending(): void {
    this.#window.close()
    this.#source.return?.().catch(() => {})
  }

  get #carrier(): StreamCarrier | undefined {
    return this.carrier as StreamCarrier | undefined
  }
}

function fill(headers: Headers, lines: readonly string[]): void {
  for (const [name, value] of new HeaderLines(lines)) headers.append(name, value)
}
