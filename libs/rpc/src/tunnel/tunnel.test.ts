import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import {
  Code,
  ConnectError,
  createClient,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from '@connectrpc/connect'
import { isInProcess } from '../call.ts'
import { ContractService } from '../contract-service.fixture.ts'
import { createDirectTransport } from '../direct-transport.ts'
import { aborted, echo, rejection } from '../serving.contract.ts'
import { describeTransport } from '../transport.contract.ts'
import { type Serve, ShelfService, startServer } from './tunnel.fixture.ts'
import { createTunnelTransport, type TunnelTransportOptions } from './tunnel-transport.ts'

describeTransport(
  'tunnel',
  async routes => {
    const server = await startServer({ routes })
    const transport = createTunnelTransport({ replicas: [server.replica] })
    return {
      transport,
      async close() {
        await transport.close()
        await server.close()
      },
    }
  },
  { network: true },
)

/** A server, a transport to it, and clients; all closed after the test. */
async function openTunnel(
  t: { after(fn: () => Promise<void>): void },
  serve: Serve,
  options?: Partial<TunnelTransportOptions>,
) {
  const server = await startServer(serve)
  const transport = createTunnelTransport({ replicas: [server.replica], ...options })
  t.after(async () => {
    await transport.close()
    await server.close()
  })
  const client = createClient(ContractService, transport)
  return { server, transport, client, shelf: createClient(ShelfService, transport) }
}

describe('tunnel', () => {
  it('carries what was made of the context values, and gives the handler what was admitted', async t => {
    const who = createContextKey('nobody')
    const { client } = await openTunnel(
      t,
      {
        contract: { echo: (_, call) => ({ value: call.values.get(who) }) },
        admit: (tunnel, method, header) => {
          assert.match(tunnel.requestHeader.get('content-type') ?? '', /proto/)
          return createContextValues().set(who, `${header.get('x-who')} calls ${method.name}`)
        },
      },
      { headers: values => [['x-who', values?.get(who) ?? 'none']] },
    )
    const contextValues = createContextValues().set(who, 'somebody')
    assert.equal((await client.echo({}, { contextValues })).value, 'somebody calls Echo')
    assert.equal((await client.echo({})).value, 'none calls Echo')
  })

  it('tells the handler that its caller is in another process, although a transport in this one calls it', async t => {
    const seen: boolean[] = []
    const echo = (_: object, call: HandlerContext) => {
      seen.push(isInProcess(call))
      return {}
    }
    const { client } = await openTunnel(t, { contract: { echo } })
    await client.echo({})
    await createClient(ContractService, createDirectTransport().service(ContractService, { echo })).echo({})
    assert.deepEqual(seen, [false, true])
  })

  it('refuses the call that is not admitted, alone, and does not begin its handler', async t => {
    let begun = 0
    const { client } = await openTunnel(t, {
      contract: {
        echo(request) {
          begun++
          return request
        },
      },
      admit(_, __, header) {
        if (header.get('x-who') === null) throw new ConnectError('who are you?', Code.Unauthenticated)
        return createContextValues()
      },
    })
    const [refused, answered] = await Promise.all([
      rejection(client.echo({})),
      client.echo({ value: 'me' }, { headers: { 'X-Who': 'me' } }),
    ])
    assert.equal(refused.code, Code.Unauthenticated)
    assert.equal(refused.rawMessage, 'who are you?')
    assert.equal(answered.value, 'me')
    assert.equal(begun, 1)
  })

  it('carries the metadata of an error', async t => {
    const { client } = await openTunnel(t, {
      contract: {
        echo() {
          throw new ConnectError('later', Code.ResourceExhausted, { 'retry-after': '7' })
        },
      },
    })
    assert.equal((await rejection(client.echo({}))).metadata.get('retry-after'), '7')
  })

  it('carries messages of 8 MiB where the server takes them, and small ones beside them', async t => {
    const { client } = await openTunnel(t, { contract: { echo }, maxMessageBytes: 9 * 1024 * 1024 })
    const value = 'x'.repeat(8 * 1024 * 1024)
    const answers = await Promise.all([client.echo({ value }), client.echo({ value: 'small' }), client.echo({ value })])
    assert.deepEqual(
      answers.map(answer => answer.value.length),
      [value.length, 5, value.length],
    )
  })

  it('fails a call whose message is larger than the server takes, alone', async t => {
    const { client } = await openTunnel(t, {
      contract: { echo, join: async requests => (await Array.fromAsync(requests))[0] ?? {} },
      maxMessageBytes: 1_000,
    })
    const answers = ['x', 'x'.repeat(1_001), 'x'].map(value => client.echo({ value }))
    const [first, large, last] = await Promise.allSettled(answers)
    assert.deepEqual([first?.status, last?.status], ['fulfilled', 'fulfilled'])
    assert.equal(large?.status === 'rejected' && large.reason.code, Code.ResourceExhausted)
    const requests = (async function* () {
      yield { value: 'x'.repeat(1_001) }
    })()
    assert.equal((await rejection(client.join(requests))).code, Code.ResourceExhausted)
  })

  it('answers 1,000 calls beside a stream that nobody reads', async t => {
    let made = 0
    const { client } = await openTunnel(t, {
      contract: {
        echo,
        async *countTo() {
          for (;;) yield { value: `${made++}`.padEnd(16_384) }
        },
      },
    })
    const abort = new AbortController()
    const stream = client.countTo({}, { signal: abort.signal })[Symbol.asyncIterator]()
    await stream.next()
    const answers = await Promise.all(Array.from({ length: 1_000 }, (_, i) => client.echo({ value: `${i}` })))
    assert.equal(answers.length, 1_000)
    assert.ok(made < 20, `${made} messages were made when one had been read`)
    for (let read = 1; read < 100; read++) assert.equal((await stream.next()).value?.value.trim(), `${read}`)
    abort.abort()
    await rejection(stream.next())
  })

  it('asks for no more requests than the handler reads', async t => {
    const gate = Promise.withResolvers<void>()
    const { client } = await openTunnel(t, {
      contract: {
        echo,
        async join(requests) {
          await gate.promise
          let count = 0
          for await (const _ of requests) count++
          return { value: `${count}` }
        },
      },
    })
    let made = 0
    const requests = (async function* () {
      for (; made < 100; made++) yield { value: 'x'.repeat(16_384) }
    })()
    const answer = client.join(requests)
    for (let i = 0; i < 20; i++) await client.echo({})
    assert.ok(made > 0 && made < 20, `${made} requests were made when none had been read`)
    gate.resolve()
    assert.equal((await answer).value, '100')
  })

  it('ends both sides when the handler fails while requests are sent', async t => {
    const { client } = await openTunnel(t, {
      contract: {
        async join(requests) {
          for await (const _ of requests) break
          throw new ConnectError('enough', Code.FailedPrecondition)
        },
      },
    })
    const cleaned = Promise.withResolvers<void>()
    const requests = (async function* () {
      try {
        for (;;) yield { value: 'more' }
      } finally {
        cleaned.resolve()
      }
    })()
    assert.equal((await rejection(client.join(requests))).code, Code.FailedPrecondition)
    await cleaned.promise
  })

  it('fails the call whose requests fail', async t => {
    const fired = Promise.withResolvers<void>()
    const { client } = await openTunnel(t, {
      contract: {
        async join(_, call) {
          await aborted(call)
          fired.resolve()
          return {}
        },
      },
    })
    const requests = (async function* () {
      yield { value: 'one' }
      throw new ConnectError('no more paper', Code.DataLoss)
    })()
    assert.equal((await rejection(client.join(requests))).code, Code.DataLoss)
    await fired.promise
  })

  it('lets calls wait when as many are open as the server allows', async t => {
    let open = 0
    let most = 0
    const { client } = await openTunnel(t, {
      maxCalls: 2,
      contract: {
        async echo(request) {
          most = Math.max(most, ++open)
          await new Promise(resolve => setImmediate(resolve))
          open--
          return request
        },
      },
    })
    const values = Array.from({ length: 20 }, (_, i) => `${i}`)
    const answers = await Promise.all(values.map(value => client.echo({ value })))
    assert.deepEqual(
      answers.map(({ value }) => value),
      values,
    )
    assert.equal(most, 2)
  })

  it('frees the number of a call that its caller gave up when the server has ended it', async t => {
    const { client } = await openTunnel(t, {
      maxCalls: 1,
      contract: {
        async echo(request, call) {
          if (request.value === 'hang') await aborted(call)
          return request
        },
      },
    })
    for (let i = 0; i < 20; i++) {
      const abort = new AbortController()
      const hanging = rejection(client.echo({ value: 'hang' }, { signal: abort.signal }))
      setImmediate(() => abort.abort())
      assert.equal((await hanging).code, Code.Canceled)
      assert.equal((await client.echo({ value: `${i}` })).value, `${i}`)
    }
  })

  it('stops its handlers when it is closed, and fails calls then', async t => {
    const begun = Promise.withResolvers<AbortSignal>()
    const { client, transport } = await openTunnel(t, {
      contract: {
        async echo(request, call) {
          begun.resolve(call.signal)
          await aborted(call)
          return request
        },
      },
    })
    const answer = rejection(client.echo({}))
    const signal = await begun.promise
    await transport.close()
    assert.equal((await answer).code, Code.Unavailable)
    if (!signal.aborted) await once(signal, 'abort')
    assert.equal((await rejection(client.echo({}))).code, Code.Unavailable)
    assert.equal(transport.ready(), false)
  })
})
