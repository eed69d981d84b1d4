/** Server-Sent Events as a client reads them that knows nothing of ours: parsed by the library that browsers' fetch users take. */
import { Agent, type IncomingMessage, request } from 'node:http'
import { createParser } from 'eventsource-parser'
import type { Wire } from './http.ts'

export interface StreamEvent {
  /** The field `id`; undefined where the event has none. */
  readonly id: string | undefined
  /** The field `event`. */
  readonly type: string
  /** The field `data`, as JSON. */
  readonly data: Wire
}

export interface EventStream extends AsyncIterable<StreamEvent>, Disposable {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** Comments so far: heartbeats. */
  readonly comments: string[]
  /** The whole body, where the answer is no stream. */
  text(): Promise<string>
  /** Takes nothing more until `resume`: a slow reader. */
  pause(): void
  resume(): void
}

export interface StreamRequest {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: unknown
  readonly signal?: AbortSignal
}

/** Opens a stream, on a connection of its own. Resolves with the answer's head; reading rejects where it breaks off. */
export async function openEvents(url: string, options: StreamRequest = {}): Promise<EventStream> {
  const { method = 'GET', json, signal } = options
  const payload = json === undefined ? undefined : JSON.stringify(json)
  const answered = Promise.withResolvers<IncomingMessage>()
  const outgoing = request(url, {
    method,
    agent: new Agent({ keepAlive: false }),
    headers: {
      accept: 'text/event-stream',
      ...(payload !== undefined && { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(signal && { signal }),
  })
  outgoing.on('response', answered.resolve).on('error', answered.reject).end(payload)
  const incoming = await answered.promise
  const comments: string[] = []
  const begun: StreamEvent[] = []
  const parser = createParser({
    onEvent: ({ id, event = 'message', data }) => begun.push({ id, type: event, data: JSON.parse(data) }),
    onComment: comment => comments.push(comment),
  })
  incoming.setEncoding('utf8')

  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    comments,
    async text() {
      let text = ''
      for await (const part of incoming) text += part
      return text
    },
    pause: () => void incoming.pause(),
    resume: () => void incoming.resume(),
    async *[Symbol.asyncIterator]() {
      for await (const part of incoming) {
        parser.feed(part)
        yield* begun.splice(0)
      }
    },
    [Symbol.dispose]: () => void incoming.destroy(),
  }
}
