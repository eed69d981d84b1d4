import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2, constants } from 'node:http2'
import { describe, it } from 'node:test'
import { Code, createClient, createContextValues, type HandlerContext } from '@connectrpc/connect'
import { problemOf } from '@millhand/api'
import { Health, HealthCheckResponse_ServingStatus as Status } from '@millhand/api/gen/grpc/health/v1/health_pb.ts'
import { ComputeService } from '@millhand/api/gen/millhand/compute/v1/compute_service_pb.ts'
import { TaskType } from '@millhand/api/gen/millhand/compute/v1/task_pb.ts'
import { recordTraces } from '@millhand/telemetry/recorded-traces'
import { ContractService } from '../contract-service.fixture.ts'
import { operationKey } from '../operation.ts'
import { principalKey, requestIdKey } from '../principal.ts'
import { rejection } from '../serving.contract.ts'
import { traceKey } from '../trace.ts'
import { drainingKey } from './draining.ts'
import { caller, mintToken, openServer, secret, serveFor, signer } from './network.fixture.ts'
import { createNetworkTransport } from './network-transport.ts'
import { outgoingHeaders } from './outgoing-headers.ts'
import { allOf } from './service-token.ts'
import { createPrincipalSigner } from './signed-principal.ts'

const requestId = 'req_01jd7x8f2wfyqs3m6k9v0t4b5c'
const headers = outgoingHeaders(createPrincipalSigner(secret).sign)
const operation = '01jd7x8f2wfyqs3m6k9v0t4b5d'
const contextValues = createContextValues().set(principalKey, caller).set(requestIdKey, requestId)
contextValues.set(operationKey, operation)

describe('network server', () => {
  for (const protocol of ['connect', 'grpc', 'grpc-web'] as const) {
    it(`passes the caller, the request id and the operation by ${protocol}`, async test => {
      const seen: unknown[] = []
      const { client } = await serveFor(
        test,
        {
          echo(request, { values }) {
            seen.push(values.get(principalKey), values.get(requestIdKey), values.get(operationKey))
            return request
          },
        },
        { client: { headers, protocol } },
      )
      await client.echo({}, { contextValues })
      assert.deepEqual(seen, [caller, requestId, operation])
    })

    it(`names the catalogue’s code and every bad field by ${protocol}`, async test => {
      const server = await openServer(router => router.service(ComputeService, { createTask: () => ({}) }))
      test.after(() => server.close(0))
      const token = mintToken({ service: 'gateway', methods: [allOf(ComputeService)], signer })
      const transport = createNetworkTransport({ url: server.url, token, headers, protocol })
      test.after(() => transport.close())
      const compute = createClient(ComputeService, transport)
      const bad = { type: TaskType.INFERENCE, maxAttempts: 11 }
      const { code, errors } = problemOf(await rejection(compute.createTask(bad, { contextValues })), requestId)
      assert.equal(code, 'missing_parameter')
      assert.deepEqual(
        errors?.map(fault => [fault.param, fault.code]),
        [
          ['model', 'missing_parameter'],
          ['max_attempts', 'max'],
          ['input', 'missing_parameter'],
        ],
      )
      // Without a principal the service itself refuses, as it does in one process.
      assert.equal(problemOf(await rejection(compute.createTask(bad)), requestId).code, 'missing_credentials')
    })
  }

  it('tells the log, and not the caller, what went wrong', async test => {
    const { client, lines } = await serveFor(
      test,
      {
        echo() {
          throw new Error('disk full')
        },
        async *countTo() {
          yield { value: '1' }
          throw new Error('disk gone')
        },
      },
      { client: { headers } },
    )
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const traced = createContextValues().set(requestIdKey, requestId)
    traced.set(traceKey, { traceId, spanId: 'b7ad6b7169203331', isSampled: false })
    const traces = recordTraces()
    test.after(() => traces.off())
    const error = await rejection(client.echo({}, { contextValues: traced }))
    assert.ok(!`${error}`.includes('disk'))
    await rejection(Array.fromAsync(client.countTo({})))
    const logged = lines.map(line => JSON.parse(line)).filter(({ event }) => event === 'rpc.failed')
    assert.deepEqual(
      logged.map(({ level, method, request_id, trace_id, error }) => [
        ...[level, method, request_id, trace_id, error.message],
      ]),
      [
        ['error', 'millhand.rpc.ContractService/Echo', requestId, traceId, 'disk full'],
        ['error', 'millhand.rpc.ContractService/CountTo', undefined, undefined, 'disk gone'],
      ],
    )
  })

  it('does not trouble the log with callers who leave', async test => {
    const ended = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const { client, connect, lines } = await serveFor(test, {
      async join(requests) {
        begun.resolve()
        try {
          for await (const _ of requests);
          return {}
        } finally {
          ended.resolve()
        }
      },
      echo: () => ({}),
    })
    const leaving = connect()
    const answer = rejection(
      createClient(ContractService, leaving).join(
        (async function* () {
          yield {}
          await new Promise(() => {})
        })(),
      ),
    )
    await begun.promise
    leaving.close()
    assert.equal((await answer).code, Code.Unavailable)
    await ended.promise
    await client.echo({})
    assert.deepEqual(
      lines.filter(line => JSON.parse(line).level !== 'debug'),
      [],
    )
  })

  it('reads no message over 8 MiB', async test => {
    const { client } = await serveFor(test, { echo: () => ({}) })
    await client.echo({ value: 'x'.repeat(8 * 1024 * 1024 - 100) })
    const error = await rejection(client.echo({ value: 'x'.repeat(8 * 1024 * 1024) }))
    assert.equal(error.code, Code.ResourceExhausted)
  })

  it('reads nothing of the message of who is not let in', async test => {
    const { url } = await serveFor(test, {})
    const session = connectHttp2(url)
    test.after(() => session.destroy())
    const stream = session.request({
      ':method': 'POST',
      ':path': '/millhand.rpc.ContractService/Echo',
      'content-type': 'application/proto',
    })
    stream.write(Buffer.alloc(1024)) // And never the end of it.
    const [answer] = await once(stream, 'response')
    assert.equal(answer[':status'], 401)
  })

  it('outlives headers that are too long or no host', async test => {
    const { url, client } = await serveFor(test, { echo: () => ({ value: 'here' }) })
    const session = connectHttp2(url)
    test.after(() => session.destroy())
    const path = { ':method': 'POST', ':path': '/millhand.rpc.ContractService/Echo' }
    await once(session, 'remoteSettings') // Before that, what is allowed is up to the HTTP/2 library: 64 KiB.
    const long = session.request({ ...path, 'x-long': 'x'.repeat(40_000) })
    await assert.rejects(once(long, 'response'), { code: 'ERR_HTTP2_STREAM_ERROR' })
    const strange = session.request({ ...path, ':authority': 'host:99999' })
    const [answer] = await once(strange, 'response')
    assert.equal(answer[':status'], 400)
    assert.equal((await client.echo({})).value, 'here')
  })

  it('keeps the connection of a peer that answers', async test => {
    const { url } = await serveFor(test, {}, { keepAlive: { pingEveryMs: 5, pingTimeoutMs: 1_000 } })
    const session = connectHttp2(url)
    for (let pings = 0; pings < 5; pings++) await once(session, 'ping')
    assert.equal(session.destroyed, false)
    session.destroy()
  })

  it('does not take its own pause for the silence of a peer', async test => {
    const { url } = await serveFor(test, {}, { keepAlive: { pingEveryMs: 5, pingTimeoutMs: 100 } })
    const session = connectHttp2(url)
    const cut = once(session, 'close').then(() => assert.fail('the connection was cut'))
    await once(session, 'ping')
    // The peer is in this process, and has not answered either.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
    for (let pings = 0; pings < 5; pings++) await Promise.race([once(session, 'ping'), cut])
    session.destroy()
    await assert.rejects(cut)
  })
})

describe('draining', { timeout: 120_000 }, () => {
  it('lets a call in flight finish, and takes no other', async test => {
    const waiting = held()
    const { client, connect, close } = await serveFor(test, { echo: waiting.handler })
    const answer = client.echo({ value: 'last' })
    const call = await waiting.begun
    assert.equal(call.values.get(drainingKey).aborted, false)

    const closed = close(10_000)
    assert.equal(call.values.get(drainingKey).aborted, true)
    const late = createClient(ContractService, connect())
    assert.equal((await rejection(late.echo({}))).code, Code.Unavailable)
    waiting.release()
    assert.equal((await answer).value, 'last')
    await closed
  })

  it('says NOT_SERVING to those who watch, then ends', async test => {
    const { transport, close, health } = await serveFor(test, {})
    const watching = createClient(Health, transport).watch({})[Symbol.asyncIterator]()
    assert.equal((await watching.next()).value?.status, Status.SERVING)
    const closed = close(10_000)
    assert.equal((await watching.next()).value?.status, Status.NOT_SERVING)
    assert.equal((await watching.next()).done, true)
    await closed
    assert.equal(health.ready().ready, false)
  })

  it('tells the connections that are open to leave when it drains', async test => {
    const { url, drain } = await serveFor(test, {})
    const session = connectHttp2(url)
    await once(session, 'connect')
    await once(session, 'remoteSettings')
    const left = once(session, 'goaway')
    drain()
    assert.equal((await left)[0], constants.NGHTTP2_NO_ERROR)
    await once(session, 'close')
  })

  it('tells every connection to leave', async test => {
    const { url, close } = await serveFor(test, {})
    const session = connectHttp2(url)
    await once(session, 'connect')
    await once(session, 'remoteSettings')
    const left = once(session, 'goaway')
    const closed = close(10_000)
    assert.equal((await left)[0], constants.NGHTTP2_NO_ERROR)
    await closed
  })

  it('fails a call that it did not begin any more as “unavailable”, so that its caller can ask another', async test => {
    const waiting = held()
    const { client, close } = await serveFor(test, { echo: waiting.handler })
    const first = client.echo({ value: 'first' })
    await waiting.begun
    const closed = close(10_000)
    const second = rejection(client.echo({ value: 'second' })) // It has not heard of the GOAWAY.
    assert.equal((await second).code, Code.Unavailable)
    waiting.release()
    assert.equal((await first).value, 'first')
    await closed
  })

  it('ends what does not finish in time, and says so', async test => {
    const waiting = held()
    const deaf = held()
    const { client, close, lines } = await serveFor(test, {
      echo: waiting.handler,
      async join(_, call) {
        deaf.begin(call)
        return await new Promise(() => {})
      },
    })
    const answers = [rejection(client.echo({})), rejection(client.join((async function* () {})()))]
    const calls = await Promise.all([waiting.begun, deaf.begun])
    await close(150)
    for (const { code } of await Promise.all(answers)) assert.equal(code, Code.Unavailable)
    assert.ok(calls.every(({ signal }) => signal.aborted))
    assert.ok(lines.some(line => line.includes('rpc.cut')))
  })

  it('asks what else it serves to leave first, and waits for it', async test => {
    const order: string[] = []
    const left = Promise.withResolvers<void>()
    const drain = async () => {
      order.push('asked')
      await left.promise
      order.push('left')
    }
    const { close } = await serveFor(test, {}, { extra: [{ routes: () => {}, drain }] })
    const closed = close(10_000).then(() => order.push('closed'))
    left.resolve()
    await closed
    assert.deepEqual(order, ['asked', 'left', 'closed'])
  })

  it('is done once, however often it is asked for', async test => {
    const { close } = await serveFor(test, {})
    await Promise.all([close(1_000), close(0)])
    await close(1_000)
  })
})

/** A handler that waits until it is released, or its call is ended. */
function held() {
  const begun = Promise.withResolvers<HandlerContext>()
  const released = Promise.withResolvers<void>()
  return {
    begun: begun.promise,
    begin: begun.resolve,
    release: released.resolve,
    async handler<T>(request: T, call: HandlerContext): Promise<T> {
      begun.resolve(call)
      call.signal.addEventListener('abort', () => released.reject(call.signal.reason))
      await released.promise
      return request
    },
  }
}
