import assert from 'node:assert/strict'
import { getEventListeners, once } from 'node:events'
import { createServer, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { StringValueSchema } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, createClient, type Interceptor } from '@connectrpc/connect'
import { connectNodeAdapter, createConnectTransport, Http2SessionManager } from '@connectrpc/connect-node'
import { ContractService } from './contract-service.fixture.ts'
import { createDirectTransport } from './direct-transport.ts'
import { describeTransport } from './transport.contract.ts'

describeTransport('direct', async routes => {
  const transport = createDirectTransport()
  routes(transport)
  return { transport, close: async () => {} }
})

const passing: Interceptor = next => async request => await next({ ...request })

describeTransport('direct, with interceptors', async routes => {
  const transport = createDirectTransport({ interceptors: [passing, passing] })
  routes(transport)
  return { transport, close: async () => {} }
})

describeTransport(
  'Connect over HTTP/2',
  async routes => {
    const server = createServer(connectNodeAdapter({ routes }))
    const sessions = new Set<ServerHttp2Session>()
    server.on('session', session => sessions.add(session))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const sessionManager = new Http2SessionManager(baseUrl)
    return {
      transport: createConnectTransport({ baseUrl, httpVersion: '2', sessionManager }),
      async close() {
        sessionManager.abort()
        for (const session of sessions) session.destroy()
        server.close()
        await once(server, 'close')
      },
    }
  },
  { network: true },
)

describe('direct transport', () => {
  it('passes messages by reference', async () => {
    const answer = create(StringValueSchema, { value: 'answer' })
    let seen: unknown
    const transport = createDirectTransport().service(ContractService, {
      echo(request) {
        seen = request
        return answer
      },
    })
    const request = create(StringValueSchema, { value: 'request' })
    assert.equal(await createClient(ContractService, transport).echo(request), answer)
    assert.equal(seen, request)
  })

  it('keeps the cause of an error for the log', async () => {
    const cause = new Error('disk full')
    const transport = createDirectTransport().service(ContractService, {
      echo() {
        throw cause
      },
    })
    await assert.rejects(createClient(ContractService, transport).echo({}), (error: ConnectError) => {
      assert.equal(error.cause, cause)
      return error.code === Code.Internal
    })
  })

  it('calls a method of a class with its object', async () => {
    class Service {
      greeting = 'hello'
      echo() {
        return { value: this.greeting }
      }
    }
    const transport = createDirectTransport().service(ContractService, new Service())
    assert.equal((await createClient(ContractService, transport).echo({})).value, 'hello')
  })

  it('refuses to serve a service twice', () => {
    const transport = createDirectTransport().service(ContractService, { echo: request => request })
    assert.throws(() => transport.service(ContractService, { echo: request => request }), /served twice/)
  })

  it('runs interceptors in order, and they may change what passes', async () => {
    const marking =
      (mark: string): Interceptor =>
      next =>
      async request => {
        const header = new Headers(request.header)
        header.append('x-mark', mark)
        const response = await next({ ...request, header })
        response.header.append('x-mark', mark)
        return response
      }
    const transport = createDirectTransport({ interceptors: [marking('outer'), marking('inner')] }).service(
      ContractService,
      { echo: (_, call) => ({ value: call.requestHeader.get('x-mark') ?? '' }) },
    )
    let answered: string | null = null
    const onHeader = (header: Headers) => {
      answered = header.get('x-mark')
    }
    assert.equal((await createClient(ContractService, transport).echo({}, { onHeader })).value, 'outer, inner')
    assert.equal(answered, 'inner, outer')
  })

  it('cancels the call when an interceptor’s own signal fires', async () => {
    const abort = new AbortController()
    const limiting: Interceptor = next => request =>
      next({ ...request, signal: AbortSignal.any([request.signal, abort.signal]) })
    const transport = createDirectTransport({ interceptors: [limiting] }).service(ContractService, {
      async echo(request, call) {
        abort.abort(new ConnectError('enough', Code.ResourceExhausted))
        await once(call.signal, 'abort')
        return request
      },
    })
    await assert.rejects(
      createClient(ContractService, transport).echo({}),
      (error: ConnectError) => error.code === Code.ResourceExhausted,
    )
  })

  it('does not start a call that was aborted before', async () => {
    let begun = 0
    const transport = createDirectTransport().service(ContractService, {
      echo(request) {
        begun++
        return request
      },
    })
    await assert.rejects(createClient(ContractService, transport).echo({}, { signal: AbortSignal.abort() }))
    assert.equal(begun, 0)
  })

  it('runs the finally of a generator that waits at a yield when the call is aborted', async () => {
    const cleaned = Promise.withResolvers<void>()
    const transport = createDirectTransport().service(ContractService, {
      async *countTo() {
        try {
          for (let i = 1; ; i++) yield { value: String(i) }
        } finally {
          cleaned.resolve()
        }
      },
    })
    const abort = new AbortController()
    const client = createClient(ContractService, transport)
    await client.countTo({}, { signal: abort.signal })[Symbol.asyncIterator]().next()
    abort.abort()
    await cleaned.promise
  })

  it('leaves no rejection unheard where a call is cancelled while its first request is made', async () => {
    const failed = Promise.withResolvers<void>()
    const transport = createDirectTransport().service(ContractService, {
      async join(requests) {
        try {
          for await (const request of requests) return request
        } finally {
          failed.resolve()
        }
        return {}
      },
    })
    const abort = new AbortController()
    const requests: AsyncIterable<{ value: string }> = {
      [Symbol.asyncIterator]: () => ({
        async next() {
          abort.abort()
          throw new Error('it breaks off')
        },
      }),
    }
    const joining = createClient(ContractService, transport).join(requests, { signal: abort.signal })
    await assert.rejects(joining, { code: Code.Canceled })
    await failed.promise
  })

  it('makes no message before it is asked for it', async () => {
    let made = 0
    const transport = createDirectTransport().service(ContractService, {
      async *countTo() {
        for (;;) yield { value: String(++made) }
      },
    })
    const stream = createClient(ContractService, transport).countTo({})[Symbol.asyncIterator]()
    for (let read = 1; read <= 3; read++) {
      await stream.next()
      assert.equal(made, read)
    }
  })

  it('leaves neither a listener nor a timer behind', async () => {
    const transport = createDirectTransport().service(ContractService, {
      echo: request => request,
      countTo: async function* () {
        yield { value: '1' }
      },
    })
    const client = createClient(ContractService, transport)
    const { signal } = new AbortController()
    const timers = () => process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length
    const before = timers()
    await client.echo({}, { signal, timeoutMs: 60_000 })
    for await (const _ of client.countTo({}, { signal, timeoutMs: 60_000 })) assert.equal(timers(), before + 1)
    assert.equal(getEventListeners(signal, 'abort').length, 0)
    assert.equal(timers(), before)
  })

  it('leaves a deadline longer than a timer can keep alone', async () => {
    const transport = createDirectTransport().service(ContractService, {
      async echo(request, call) {
        await new Promise(resolve => setImmediate(resolve))
        call.signal.throwIfAborted()
        return request
      },
    })
    await createClient(ContractService, transport).echo({}, { timeoutMs: 2 ** 40 })
  })
})
