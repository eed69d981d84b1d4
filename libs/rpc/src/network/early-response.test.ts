import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { describe, it, type TestContext } from 'node:test'
import { Code, createClient } from '@connectrpc/connect'
import { ContractService } from '../contract-service.fixture.ts'
import { rejection } from '../serving.contract.ts'
import { serveFor, token } from './network.fixture.ts'
import { createNetworkTransport } from './network-transport.ts'
import { flag, frameType, headerBlock, serveRawHttp2 } from './raw-http2.fixture.ts'

/** More than a stream's window and a connection's (RFC 9113, section 6.9.2): the server has to make room. */
const size = 1 << 20

describe('a caller that is answered while it still sends', () => {
  for (const [why, authorization, handled] of [
    ['who is not let in', 'Bearer mhs_x.y', 0],
    ['whose handler stops reading', `Bearer ${token}`, 1],
  ] as const) {
    it(`${why} can send the rest, and the stream ends`, async test => {
      let began = 0
      const join = async (requests: AsyncIterable<unknown>) => {
        began++
        for await (const _ of requests) return {}
        return {}
      }
      const { url } = await serveFor(test, { join })
      const session = connect(url)
      test.after(() => session.destroy())
      const stream = session.request({
        ':method': 'POST',
        ':path': '/millhand.rpc.ContractService/Join',
        'content-type': 'application/connect+proto',
        authorization,
      })
      const soon = { signal: AbortSignal.timeout(300_000) }
      const ended = once(stream.resume(), 'end', soon)
      const closed = once(stream, 'close', soon)
      stream.write(Buffer.concat([envelope(0), envelope(size)]))
      await ended
      stream.end()
      await closed
      assert.equal(stream.rstCode, 0)
      assert.equal(began, handled)
    })
  }
})

/**
 * RFC 9113, section 8.1: who needs no more of a request may reset its stream with NO_ERROR after the whole answer. Servers in Go
 * do. The client reads one message before the reset has come, and asks for the next after it.
 */
describe('a client that is answered while it still sends, and whose stream is then reset with NO_ERROR', () => {
  async function answers(test: TestContext, rest: Buffer, flags: number, value = ''): Promise<number> {
    const [reading, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const server = await serveRawHttp2(async raw => {
      const { stream } = await raw.received(({ type }) => type === frameType.headers)
      const head = headerBlock({ ':status': '200', 'content-type': 'application/connect+proto' })
      raw.send(
        { type: frameType.headers, flags: flag.endHeaders, stream, payload: head },
        { type: frameType.data, stream, payload: envelope(0) },
      )
      await reading.promise
      raw.send(
        { type: frameType.data, flags, stream, payload: rest },
        { type: frameType.rstStream, stream, payload: Buffer.alloc(4) },
        { type: frameType.ping, payload: Buffer.alloc(8) },
      )
      await raw.received(({ type, flags }) => type === frameType.ping && flags === flag.ack)
      arrived.resolve()
    })
    test.after(() => server.close())
    const transport = createNetworkTransport({ url: server.url })
    test.after(() => transport.close())
    async function* endless() {
      yield { value }
      await new Promise(() => {})
    }
    let count = 0
    for await (const _ of createClient(ContractService, transport).talk(endless(), { timeoutMs: 300_000 })) {
      count++
      reading.resolve()
      await arrived.promise
    }
    return count
  }

  it('reads the whole answer', async test => {
    const endOfCall = Buffer.concat([Buffer.of(2, 0, 0, 0, 2), Buffer.from('{}')])
    assert.equal(await answers(test, Buffer.concat([envelope(0), endOfCall]), flag.endStream), 2)
  })

  it('closes its stream, also where the server makes no room for the rest of the request', async test => {
    const closed = Promise.withResolvers<void>()
    const onClosed = () => closed.resolve()
    subscribe('http2.client.stream.close', onClosed)
    test.after(() => unsubscribe('http2.client.stream.close', onClosed))
    const endOfCall = Buffer.concat([Buffer.of(2, 0, 0, 0, 2), Buffer.from('{}')])
    assert.equal(await answers(test, endOfCall, flag.endStream, 'x'.repeat(size)), 1)
    await closed.promise
  })

  it('fails as “unavailable” where that was not the whole', async test => {
    assert.equal((await rejection(answers(test, envelope(0), 0))).code, Code.Unavailable)
  })
})

/** A message of Connect's streams, which is a StringValue of nothing but unknown fields. */
function envelope(bytes: number): Buffer {
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(bytes, 1)
  return Buffer.concat([prefix, Buffer.alloc(bytes)])
}
