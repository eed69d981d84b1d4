/** What the tests of tunnels share: a server, a network that can fail, and a replica that is not there. */
import { once } from 'node:events'
import { createServer, type ServerHttp2Session } from 'node:http2'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import { create, createFileRegistry } from '@bufbuild/protobuf'
import type { GenService } from '@bufbuild/protobuf/codegenv2'
import {
  FileDescriptorProtoSchema,
  file_google_protobuf_wrappers,
  MethodOptions_IdempotencyLevel,
  type StringValueSchema,
} from '@bufbuild/protobuf/wkt'
import { createClient, createContextValues, type ServiceImpl, type Transport } from '@connectrpc/connect'
import { connectNodeAdapter, createConnectTransport, Http2SessionManager } from '@connectrpc/connect-node'
import type { Frame, Frames } from '@millhand/api/gen/millhand/rpc/v1/tunnel_pb.ts'
import { ContractService } from '../contract-service.fixture.ts'
import { createDirectTransport, type Routes } from '../direct-transport.ts'
import type { ReplicaTransport } from './client-tunnel.ts'
import { helloFrame } from './frames.ts'
import type { ConnectivityEvent } from './subchannel.ts'
import { type TunnelRoutesOptions, tunnelRoutes } from './tunnel-routes.ts'
import { createTunnelTransport, type TunnelTransportOptions } from './tunnel-transport.ts'

const text = '.google.protobuf.StringValue'

const file = create(FileDescriptorProtoSchema, {
  name: 'millhand/rpc/shelf.proto',
  package: 'millhand.rpc',
  syntax: 'proto3',
  dependency: [file_google_protobuf_wrappers.proto.name],
  service: [
    {
      name: 'ShelfService',
      method: [
        {
          name: 'Read',
          inputType: text,
          outputType: text,
          options: { idempotencyLevel: MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS },
        },
        { name: 'Write', inputType: text, outputType: text },
      ],
    },
  ],
})

/** A method that may be sent again, and one that may not. */
export const ShelfService = createFileRegistry(file, name =>
  name === file_google_protobuf_wrappers.proto.name ? file_google_protobuf_wrappers : undefined,
).getService('millhand.rpc.ShelfService') as GenService<{
  read: { methodKind: 'unary'; input: typeof StringValueSchema; output: typeof StringValueSchema }
  write: { methodKind: 'unary'; input: typeof StringValueSchema; output: typeof StringValueSchema }
}>

export interface Serve extends Partial<Pick<TunnelRoutesOptions, 'admit' | 'maxCalls' | 'maxMessageBytes' | 'ready'>> {
  readonly routes?: (router: Routes) => void
  readonly contract?: Partial<ServiceImpl<typeof ContractService>>
  readonly shelf?: Partial<ServiceImpl<typeof ShelfService>>
}

/** No compression, which would make the test's messages small. */
const wire = { acceptCompression: [], readMaxBytes: 32 * 1024 * 1024 }

/** A real HTTP/2 server that answers tunnels. */
export async function startServer({ routes, contract, shelf, ...options }: Serve) {
  const transport = createDirectTransport()
  routes?.(transport)
  if (contract) transport.service(ContractService, contract)
  if (shelf) transport.service(ShelfService, shelf)
  const services = [ContractService, ShelfService]
  const tunnels = tunnelRoutes({ transport, services, admit: () => createContextValues(), ...options })
  const server = createServer(connectNodeAdapter({ routes: tunnels.routes, ...wire }))
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', session => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    replica: replicaAt(port),
    drain: () => tunnels.drain(),
    /** Destroys the sockets of its callers; it goes on listening. */
    hangUp() {
      for (const session of sessions) session.destroy()
    },
    async close() {
      for (const session of sessions) session.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const replicaAt = (port: number): Transport => {
  const baseUrl = `http://127.0.0.1:${port}`
  return createConnectTransport({
    baseUrl,
    httpVersion: '2',
    sessionManager: new Http2SessionManager(baseUrl),
    ...wire,
  })
}

/** A network between caller and server, which stops and breaks when it is told to. */
async function startProxy() {
  const sockets = new Set<Socket>()
  let target: number | undefined
  const server = createTcpServer(inbound => {
    if (target === undefined) {
      inbound.resetAndDestroy()
      return
    }
    const outbound = connect(target, '127.0.0.1')
    for (const [from, to] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.pipe(to)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    replica: replicaAt(port),
    /** Where connections go from now on; undefined refuses them. */
    to(port: number | undefined) {
      target = port
    },
    /** Lets nothing more through, in either direction; the connections stay. */
    freeze() {
      for (const socket of sockets) socket.unpipe().pause()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A replica that is the test: it sees what a caller sends, if it looks, and answers what it likes. */
export function fakeReplica(maxCalls = 100) {
  const opened: FakeTunnel[] = []
  const transport = {
    stream(_method: unknown, signal: AbortSignal, _timeout: unknown, _header: unknown, input: AsyncIterable<Frames>) {
      const tunnel = new FakeTunnel(input[Symbol.asyncIterator](), signal)
      tunnel.answer(helloFrame(maxCalls, 1024 * 1024))
      opened.push(tunnel)
      return Promise.resolve({ message: tunnel.answers() })
    },
  }
  return { transport: transport as unknown as Transport, opened }
}

class FakeTunnel {
  readonly input: AsyncIterator<Frames>
  readonly signal: AbortSignal
  readonly #queue: (Frame | Error)[] = []
  #wake = Promise.withResolvers<void>()

  constructor(input: AsyncIterator<Frames>, signal: AbortSignal) {
    this.input = input
    this.signal = signal
  }

  /** What the caller sends next. */
  async read(): Promise<Frame[]> {
    const next = await this.input.next()
    return next.done ? [] : next.value.frames
  }

  answer(frame: Frame): void {
    this.#queue.push(frame)
    this.#wake.resolve()
  }

  break(): void {
    this.#queue.push(new Error('the fake replica broke'))
    this.#wake.resolve()
  }

  async *answers(): AsyncGenerator<Pick<Frames, 'frames'>> {
    for (;;) {
      const next = this.#queue.shift()
      if (next instanceof Error) throw next
      if (next !== undefined) {
        yield { frames: [next] }
        continue
      }
      this.#wake = Promise.withResolvers()
      await this.#wake.promise
    }
  }
}

/** Collects what is told, and waits for it. */
export function events<E extends { readonly kind: string }>() {
  const seen: E[] = []
  let wake = Promise.withResolvers<void>()
  return {
    seen,
    on(event: E) {
      seen.push(event)
      wake.resolve()
      wake = Promise.withResolvers()
    },
    /** Resolves when an event of the kind was told `times` times. */
    async until(kind: E['kind'], times = 1) {
      while (seen.filter(event => event.kind === kind).length < times) await wake.promise
    },
  }
}

/** A handler that hangs the first time and answers after. */
export function hangingOnce() {
  const begun = Promise.withResolvers<void>()
  let calls = 0
  return {
    begun: begun.promise,
    calls: () => calls,
    async handler(request: { value: string }, call: { signal: AbortSignal }) {
      calls++
      begun.resolve()
      if (calls === 1 && !call.signal.aborted) await once(call.signal, 'abort')
      return request
    },
  }
}

type Test = { after(fn: () => Promise<void>): void }

/** A client of these replicas until the test ends, and what its tunnels tell. */
export function connectTo(t: Test, replicas: ReplicaTransport[], options: Partial<TunnelTransportOptions> = {}) {
  const told = events<ConnectivityEvent>()
  const transport = createTunnelTransport({ replicas, onEvent: told.on, random: () => 0.5, ...options })
  t.after(() => transport.close())
  return { transport, told, client: createClient(ShelfService, transport) }
}

/** A server until the test ends. */
export async function serve(t: Test, shelf: NonNullable<Serve['shelf']>) {
  const server = await startServer({ shelf })
  t.after(() => server.close())
  return server
}

/** A network that leads to that port, or nowhere yet, until the test ends. */
export async function proxy(t: Test, port?: number) {
  const network = await startProxy()
  network.to(port)
  t.after(() => network.close())
  return network
}
