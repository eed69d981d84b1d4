/**
 * The requests of a connection, as long as each comes in a single read and is answered before the next. That saves node's
 * objects for a request and its answer. With anything else the connection becomes node's, and stays it.
 */
import type { Socket } from 'node:net'
import type { Connection, Messages } from '../connection.ts'
import { KEEP_ALIVE_MS } from '../server-limits.ts'
import { answerHead } from './answer-head.ts'
import { type ParsedHead, type ParsedRequest, parseRequest } from './parse-request.ts'

interface SingleReadsOptions {
  readonly connection: Connection
  /** Makes the connection node's: what the socket emits from here on is parsed. */
  readonly toNode: () => void
  readonly serve: (request: SingleRead) => void
}

/** Reads the requests of a socket, which is paused. `first` was read of it before. */
export function readRequests(socket: Socket, first: Buffer, options: SingleReadsOptions) {
  const parsed = parseRequest(first)
  if (parsed === undefined) {
    options.toNode()
    socket.push(first)
  } else new SingleReads(socket, options).begin(parsed, first)
  socket.resume()
}

class SingleReads {
  readonly socket: Socket
  readonly options: SingleReadsOptions
  #open: SingleRead | undefined
  /** Of the latest request. */
  #head: ParsedHead | undefined
  #isNodes = false
  readonly #take = (bytes: Buffer) => {
    // Behind the last answer nothing is served: its own answer could not be sent (RFC 9112, section 9.6).
    if (!this.socket.writable) return
    // Callers that send on before they have read what was answered are bounded by `pipelining.ts`.
    const parsed = this.options.connection.unsent.length === 0 ? parseRequest(bytes, this.#head) : undefined
    if (parsed !== undefined) return this.#serve(parsed, bytes)
    if (this.#open === undefined) this.#leave()
    else this.#open.toNode()
    this.socket.push(bytes)
  }
  readonly #end = () => {
    if (this.#open === undefined) this.socket.destroySoon()
  }
  readonly #timeOut = () => {
    if (this.options.connection.waitsForCaller) this.socket.destroy()
  }
  readonly #fail = () => this.socket.destroy()

  constructor(socket: Socket, options: SingleReadsOptions) {
    this.socket = socket
    this.options = options
  }

  begin(parsed: ParsedRequest, bytes: Buffer) {
    const { socket } = this
    socket.on('data', this.#take).on('end', this.#end).on('timeout', this.#timeOut).on('error', this.#fail)
    socket.setTimeout(IDLE_MS)
    this.#serve(parsed, bytes)
  }

  #serve(parsed: ParsedRequest, bytes: Buffer) {
    this.#head = parsed.head
    this.#open = new SingleRead(this, parsed, bytes)
    this.options.serve(this.#open)
  }

  /** The connection is node's from here on. */
  #leave() {
    const { socket } = this
    this.#isNodes = true
    this.options.toNode()
    socket.off('data', this.#take).off('end', this.#end).off('timeout', this.#timeOut).off('error', this.#fail)
  }

  write(head: string, body: string | Buffer, isLast: boolean, sent: () => void) {
    const { socket, options } = this
    this.#open = undefined
    const written = () => {
      if (isHeldUp && !this.#isNodes) socket.setTimeout(IDLE_MS)
      sent()
    }
    if (typeof body === 'string') socket.write(head + body, written)
    else {
      socket.cork()
      socket.write(head)
      socket.write(body, written)
      socket.uncork()
    }
    // Most answers are with the system by now, and wait for no reader.
    const isHeldUp = socket.writableLength > 0
    if (isHeldUp) socket.setTimeout(options.connection.server.readerMs)
    if (isLast) socket.destroySoon()
  }

  toNode(bytes: Buffer): Messages {
    const { socket, options } = this
    this.#open = undefined
    this.#leave()
    let messages: Messages | undefined
    options.connection.adopt = each => {
      messages = each
    }
    // Node parses what the socket emits before this returns.
    socket.emit('data', bytes)
    options.connection.adopt = undefined
    if (messages === undefined) throw new Error("node's parser did not find the request")
    // The socket does not emit the end of what the caller sends again.
    if (socket.readableEnded) messages.res.shouldKeepAlive = false
    return messages
  }
}

/** More than the caller is told: a request on its way still finds the connection. */
const IDLE_MS = KEEP_ALIVE_MS + 1_000

/** A request that came in a single read. */
export class SingleRead {
  readonly method: ParsedHead['method']
  readonly url: string
  readonly headers: ParsedHead['headers']
  body: Buffer
  readonly rawHeaders: string[] = none
  readonly httpVersionMinor = 1
  readonly #reads: SingleReads
  #bytes: Buffer
  /** Called when the connection becomes node's before the answer. */
  onNode: ((messages: Messages) => void) | undefined

  constructor(reads: SingleReads, { head, body }: ParsedRequest, bytes: Buffer) {
    this.method = head.method
    this.url = head.url
    this.headers = head.headers
    this.body = body
    this.#reads = reads
    this.#bytes = bytes
  }

  get socket(): Socket {
    return this.#reads.socket
  }

  /** Sends the answer, and ends the connection where it is the last. `sent` is called once it is sent. */
  answer(status: number, headers: readonly string[], body: string | Buffer, isLast: boolean, sent: () => void) {
    this.#drop()
    this.#reads.write(answerHead(status, headers, isLast), body, isLast, sent)
  }

  /** Has node parse the request, for an answer that is no text: a stream. */
  toNode() {
    const bytes = this.#bytes
    this.#drop()
    this.onNode?.(this.#reads.toNode(bytes))
  }

  /** The head lives as long as the answer, which may be a stream or have a slow reader: it must not keep the body. */
  #drop() {
    this.#bytes = empty
    this.body = empty
  }
}

const none: string[] = []
const empty = Buffer.alloc(0)
