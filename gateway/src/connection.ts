/** The state of a connection: its requests and their answers. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Id } from '@millhand/api'

/** What node makes of a request. */
export interface Messages {
  readonly req: IncomingMessage
  readonly res: ServerResponse
}

/** What all connections of a server share. */
export interface ServerState {
  /** Whether the process stops; an answer then has `Connection: close`. */
  readonly stopping: boolean
  /** The address by which callers reach the gateway; undefined where each names it in `Host`. */
  readonly publicUrl: string | undefined
  /** Milliseconds in which a caller that is read has to send something. */
  readonly senderMs: number
  /** Milliseconds in which a caller that is sent to has to take something. */
  readonly readerMs: number
}

/** The part of an exchange that concerns its connection. */
interface Exchange {
  readonly hasCome: boolean
  readonly res: ServerResponse
  readonly requestId: Id<'req'>
  readonly status: number
  readonly allowsSlowBody: boolean
  readonly onDrain: (() => void) | undefined
  readonly onGone: (() => void) | undefined
  abandon(): void
  release(): void
}

export class Connection {
  readonly server: ServerState
  /** Ends the connection as that of a request that does not come on. */
  readonly timeOut: () => void
  /** The connection's exchanges that wait for their answer, in the order of their requests. */
  readonly open: Exchange[] = []
  /** The bytes read from the socket when the last exchange ended. Where more have been read, another request begins. */
  answeredBytes = 0
  /** The exchanges whose answers are not sent yet: an answer can wait for an earlier one to be sent. */
  readonly unsent: Exchange[] = []
  /** Whether the connection ends with the answers to what has come: its caller sends no more, or what it sends can't be read. */
  isDraining = false
  /** Whether nothing more is read of the connection until some of what came is answered. */
  isHeld = false
  /** Whether nothing more is read of it at all: it ends with an answer that is on its way. */
  isEnding = false
  /** Whether a request was refused before it was read: nothing behind it is read. */
  isRefused = false
  /** Called when an answer is sent. */
  onSent: (() => void) | undefined
  /** Called instead of the server with the next request that node finds: one whose exchange there is already. */
  adopt: ((messages: Messages) => void) | undefined
  /** The latest answer that was given while one before it was not sent yet. */
  queued: ServerResponse | undefined

  constructor(server: ServerState, timeOut: () => void) {
    this.server = server
    this.timeOut = timeOut
  }

  /** Whether the request that is coming may be slow: its reader has a timeout of its own. */
  get hasSlowBody(): boolean {
    const last = this.open.at(-1)
    return last?.allowsSlowBody === true && !last.hasCome
  }

  /** Whether the connection waits for its caller to read an answer or to send a request. */
  get waitsForCaller(): boolean {
    const [first] = this.unsent
    return first === undefined ? this.answeredBytes > 0 : first.status !== 0 && !this.open.includes(first)
  }

  /** Ends the waits of open exchanges: each answers with the current state. */
  drain() {
    this.isDraining = true
    for (const exchange of this.open) exchange.onDrain?.()
  }

  /** The answer of one is sent. */
  sent(exchange: Exchange) {
    const index = this.unsent.indexOf(exchange)
    if (index !== -1) this.unsent.splice(index, 1)
    exchange.release()
    this.onSent?.()
  }

  /** The connection is closed. */
  end() {
    for (const exchange of this.unsent.splice(0)) {
      exchange.release()
      exchange.onGone?.()
    }
  }

  /** Calls `then` once every answer is sent, unless the connection ends before; at once where nothing is on its way. */
  afterAnswers(then: () => void) {
    const unsent = this.open.map(({ res }) => res)
    // Answers are sent in order: what was given before this one is sent before it.
    if (this.queued !== undefined && !this.queued.writableFinished) unsent.push(this.queued)
    let left = unsent.length
    if (left === 0) return then()
    const sent = () => {
      left--
      if (left === 0) then()
    }
    for (const res of unsent) res.once('finish', sent)
  }
}
