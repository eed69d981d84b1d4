/** Servers of a test's own, at an address that stands for the public internet, and the dialer that posts to them. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { systemClock } from '@millhand/process'
import { parseRanges } from './address-ranges.ts'
import { createDialer, type Dialer, type DialerOptions, type PostRequest, type PostResult } from './dialer.ts'
import { createResolver } from './resolver.ts'

/** Tests allow this address alone, in the place of all that are public: 127.0.0.1 is refused to them as to anybody. */
export const PUBLIC = '127.0.0.2'

export interface Listening {
  readonly port: number
  /** Connections that came. */
  readonly accepted: number
  /** Those that are open. */
  readonly open: ReadonlySet<Socket>
  /** Resolves when so many are open, or fewer. */
  downTo(count: number): Promise<void>
}

/** Listens until the test ends. */
export async function listening(t: TestContext, server: Server, host = PUBLIC): Promise<Listening> {
  const open = new Set<Socket>()
  let closing = Promise.withResolvers<void>()
  let accepted = 0
  server.on('connection', (socket: Socket) => {
    accepted++
    open.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => {
      open.delete(socket)
      closing.resolve()
      closing = Promise.withResolvers()
    })
  })
  server.listen(0, host)
  await once(server, 'listening')
  t.after(async () => {
    for (const socket of open) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  const { port } = server.address() as { port: number }
  return {
    port,
    get accepted() {
      return accepted
    },
    open,
    async downTo(count) {
      while (open.size > count) await closing.promise
    },
  }
}

export interface Heard {
  readonly socket: Socket
  /** How many posts came before it: in all, and on this connection. */
  readonly before: number
  readonly beforeHere: number
  readonly text: string
}

/** A server that answers posts with whatever bytes it is told to; over TLS with `tls`. */
export async function rawReceiver(
  t: TestContext,
  onPost: (post: Heard) => void,
  tls?: TlsOptions,
): Promise<Listening & { url: string }> {
  let before = 0
  const onSocket = (socket: Socket) => {
    let text = ''
    let beforeHere = 0
    socket.on('data', data => {
      text += data.toString('latin1')
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1])
      const end = text.indexOf('\r\n\r\n') + 4 + length
      if (!(text.length >= end)) return
      const post = { socket, before: before++, beforeHere: beforeHere++, text: text.slice(0, end) }
      text = text.slice(end)
      onPost(post)
    })
    socket.on('error', () => {})
  }
  const server = tls === undefined ? createServer(onSocket) : createTlsServer(tls, onSocket)
  const listens = await listening(t, server)
  return Object.assign(listens, { url: `${tls === undefined ? 'http' : 'https'}://${PUBLIC}:${listens.port}/hook?a=1` })
}

/** An answer of HTTP/1.1 that has a body of this text. */
export const ok = (text = '', ...headers: string[]) =>
  ['HTTP/1.1 200 OK', `content-length: ${Buffer.byteLength(text)}`, ...headers, '', text].join('\r\n')

export interface TestDialer extends Dialer {
  /** Posts something small. */
  to(url: string, request?: Partial<PostRequest>, signal?: AbortSignal): Promise<PostResult>
}

/** Closed when the test ends. `servers`: the DNS. */
export function testDialer(
  t: TestContext,
  { servers = [], ...options }: Partial<DialerOptions> & { servers?: string[] } = {},
): TestDialer {
  const resolver = createResolver({
    clock: systemClock,
    timeoutMs: 2_000,
    servers: servers.length > 0 ? servers : [PUBLIC],
  })
  const dialer = createDialer({ allow: parseRanges(PUBLIC), resolver, clock: systemClock, ...options })
  t.after(async () => {
    resolver.close()
    await dialer.close()
  })
  const small = { headers: { 'content-type': 'application/json' }, body: Buffer.from('{"id":"evt_1"}') }
  return {
    ...dialer,
    to: (url, request, signal = new AbortController().signal) =>
      dialer.post({ url, ...small, plainHttp: true, partition: 'we_1', ...request }, signal),
  }
}

/** Where this process connects to, from now to the end of the test. */
export function connectsOf(t: TestContext): Socket[] {
  const made: Socket[] = []
  const onSocket = (message: unknown) => {
    made.push((message as { socket: Socket }).socket)
  }
  subscribe('net.client.socket', onSocket)
  t.after(() => unsubscribe('net.client.socket', onSocket))
  return made
}

/** Writes the same until the other side has had enough. */
export function endless(socket: Socket, chunk: string): void {
  const chunks = chunk.repeat(100)
  const more = () => {
    while (!socket.destroyed && socket.write(chunks)) {}
  }
  socket.on('drain', more)
  more()
}
