/** A unary call of this process. */
import { type DescMethod, fromBinary, type Message } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Answer, Begin } from '@millhand/api/gen/millhand/rpc/v1/tunnel_pb.ts'
import { binaryOptions } from '../binary-options.ts'
import { errorOf, violation } from './call-errors.ts'
import type { Kind } from './frames.ts'
import { headersOf } from './header-lines.ts'
import { type Dispatcher, OutgoingCall } from './outgoing-call.ts'

export class OutgoingUnary extends OutgoingCall {
  readonly #resolve: (answer: UnaryAnswer) => void
  protected readonly fail: (error: unknown) => void

  constructor(
    dispatcher: Dispatcher,
    method: DescMethod,
    begin: Begin,
    resolve: (answer: UnaryAnswer) => void,
    reject: (error: unknown) => void,
  ) {
    super(dispatcher, method, begin)
    this.#resolve = resolve
    this.fail = reject
  }

  override receive(kind: Kind): void {
    if (kind.case === 'answer') {
      this.settle()
      this.#answer(kind.value)
    } else if (kind.case === 'end' && kind.value.fault !== undefined) {
      this.settle()
      this.fail(errorOf(kind.value.fault))
    } else {
      this.stop(violation(`a unary call was answered with "${kind.case}"`))
    }
  }

  #answer(answer: Answer): void {
    let message: Message
    try {
      message = fromBinary(this.method.output, answer.message, binaryOptions)
    } catch (cause) {
      this.fail(new ConnectError('the answer cannot be read', Code.Internal, undefined, undefined, cause))
      return
    }
    this.#resolve(new UnaryAnswer(this.method, message, answer.header, answer.trailer))
  }
}

/** The answer of a unary call; its headers are made when they are looked at: most callers never do. */
export class UnaryAnswer {
  readonly stream = false
  readonly method: DescMethod
  readonly message: Message
  #header: Headers | readonly string[]
  #trailer: Headers | readonly string[]

  constructor(method: DescMethod, message: Message, header: readonly string[], trailer: readonly string[]) {
    this.method = method
    this.message = message
    this.#header = header
    this.#trailer = trailer
  }
  get service() {
    return this.method.parent
  }
  get header(): Headers {
    if (!(this.#header instanceof Headers)) this.#header = headersOf(this.#header)
    return this.#header
  }
  get trailer(): Headers {
    if (!(this.#trailer instanceof Headers)) this.#trailer = headersOf(this.#trailer)
    return this.#trailer
  }
}
