import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Code, createClient } from '@connectrpc/connect'
import { ContractService } from '../contract-service.fixture.ts'
import type { Routes } from '../direct-transport.ts'
import { rejection } from '../serving.contract.ts'
import { describeTransport } from '../transport.contract.ts'
import { proxy } from '../tunnel/tunnel.fixture.ts'
import { openServer, serveFor, token } from './network.fixture.ts'
import { createNetworkTransport } from './network-transport.ts'

for (const protocol of ['connect', 'grpc', 'grpc-web'] as const) {
  describeTransport(
    `${protocol} over a network`,
    async routes => {
      const server = await openServer(routes)
      const transport = createNetworkTransport({ url: server.url, token, protocol })
      return {
        transport,
        async close() {
          transport.close()
          await server.close(1_000)
        },
      }
    },
    { network: true },
  )
}

describe('network transport', () => {
  it('finds that its peer has died without a word', async test => {
    const sockets: Socket[] = []
    const dead = createServer(socket => sockets.push(socket.on('error', () => {}))).listen(0, '127.0.0.1')
    await once(dead, 'listening')
    test.after(() => {
      for (const socket of sockets) socket.destroy()
      dead.close()
    })
    const transport = createNetworkTransport({ url: `http://127.0.0.1:${portOf(dead)}`, token })
    const calls = [createClient(ContractService, transport).echo({}), createClient(ContractService, transport).echo({})]
    for (const { code } of await Promise.all(calls.map(rejection))) assert.equal(code, Code.Unavailable)
  })

  it('gives its peer as long to answer a ping as it is told', async test => {
    const begun = Promise.withResolvers<void>()
    const hang = () => {
      begun.resolve()
      return new Promise<never>(() => {})
    }
    const server = await openServer(router => router.service(ContractService, { echo: hang }))
    test.after(() => {
      test.mock.timers.reset()
      return server.close(0)
    })
    const network = await proxy(test, Number(new URL(server.url).port))
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const transport = createNetworkTransport({ url: network.url, token, pingTimeoutMs: 3_000 })
    test.after(() => transport.close())
    let isOver = false
    const failed = rejection(createClient(ContractService, transport).echo({})).finally(() => {
      isOver = true
    })
    await begun.promise
    network.freeze()
    for (const ms of [2_000, 2_999]) {
      test.mock.timers.tick(ms)
      for (let turn = 0; turn < 10; turn++) await nextTurn()
      assert.ok(!isOver)
    }
    test.mock.timers.tick(1)
    assert.equal((await failed).code, Code.Unavailable)
  })

  it('is unavailable while nobody is there, and finds a server that comes back', async test => {
    const routes = (router: Routes) => router.service(ContractService, { echo: request => request })
    const first = await openServer(routes)
    const address = { host: '127.0.0.1', port: Number(new URL(first.url).port) }
    const transport = createNetworkTransport({ url: first.url, token })
    test.after(() => transport.close())
    const client = createClient(ContractService, transport)
    await client.echo({})
    await first.close(1_000)
    for (let call = 0; call < 3; call++) assert.equal((await rejection(client.echo({}))).code, Code.Unavailable)
    const second = await openServer(routes, { address })
    test.after(() => second.close(0))
    assert.equal((await client.echo({ value: 'again' })).value, 'again')
  })

  it('opens another connection where its server has just told the one it has to leave', async test => {
    for (let turns = 0; turns < 6; turns++) {
      const { client, drain } = await serveFor(test, { echo: request => request })
      await client.echo({})
      drain()
      // In one of these turns the connection has begun to end, and has not ended.
      for (let turn = 0; turn < turns; turn++) await nextTurn()
      await client.echo({}).catch(({ code }) => assert.equal(code, Code.Unavailable)) // It had not heard of that.
      assert.equal((await client.echo({ value: 'again' })).value, 'again')
    }
  })

  it('goes on after a message that is too large for the server', async test => {
    const server = await openServer(router => router.service(ContractService, { echo: request => request }))
    test.after(() => server.close(0))
    const transport = createNetworkTransport({ url: server.url, token })
    test.after(() => transport.close())
    const client = createClient(ContractService, transport)
    const { code } = await rejection(client.echo({ value: 'x'.repeat(24 * 1024 * 1024) }))
    assert.equal(code, Code.ResourceExhausted)
    for (let call = 0; call < 3; call++) assert.equal((await client.echo({ value: 'well' })).value, 'well')
  })

  it('fails calls in flight as “unavailable” when it is closed, and opens again', async test => {
    const begun = Promise.withResolvers<void>()
    const server = await openServer(router =>
      router.service(ContractService, {
        echo: request => request,
        async *countTo(_, { signal }) {
          yield { value: '1' }
          begun.resolve()
          await once(signal, 'abort')
        },
      }),
    )
    test.after(() => server.close(0))
    const transport = createNetworkTransport({ url: server.url, token })
    test.after(() => transport.close())
    const client = createClient(ContractService, transport)
    const counting = rejection(Array.fromAsync(client.countTo({})))
    await begun.promise
    transport.close()
    transport.close()
    assert.equal((await counting).code, Code.Unavailable)
    assert.equal((await client.echo({ value: 'again' })).value, 'again')
  })
})

const portOf = (server: Server) => (server.address() as AddressInfo).port
