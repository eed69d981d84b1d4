import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { serveFor, token } from './network.fixture.ts'
import { flag, frameType, headerBlock, openRawHttp2 } from './raw-http2.fixture.ts'

const call = (authorization: string) =>
  headerBlock({
    ':method': 'POST',
    ':scheme': 'http',
    ':path': '/millhand.rpc.ContractService/Join',
    ':authority': 'localhost',
    authorization,
    'content-type': 'application/connect+proto',
  })
const headersOf = (stream: number, payload: Buffer) => ({
  type: frameType.headers,
  flags: flag.endHeaders,
  stream,
  payload,
})

/** This process serves and calls: a busy machine holds up the answers to pings for longer than callers wait. */
const patient = { client: { pingTimeoutMs: 60_000 } }

describe('a rude client', () => {
  for (const [who, authorization] of [
    ['who is not let in', 'Bearer mhs_x.y'],
    ['who is let in', `Bearer ${token}`],
  ] as const) {
    it(`${who} that opens 10,000 streams keeps nobody else from being served`, async test => {
      let begun = 0
      const impl = {
        echo: () => ({ value: 'served' }),
        async join(requests: AsyncIterable<unknown>) {
          begun++
          for await (const _ of requests);
          return {}
        },
      }
      const { url, client } = await serveFor(test, impl, patient)
      const rude = await openRawHttp2(url)
      test.after(() => rude.destroy())
      const block = call(authorization)
      for (let from = 0; from < 10_000; from += 500) {
        rude.send(...Array.from({ length: 500 }, (_, at) => headersOf(2 * (from + at) + 1, block)))
        assert.equal((await client.echo({})).value, 'served')
      }
      if (who === 'who is let in') {
        await rude.closed // Over the 1,000 that are allowed at once.
        assert.ok(begun <= 1_000, `${begun} calls were begun`)
      } else {
        await rude.received(({ type, stream }) => type === frameType.headers && stream === 1)
        assert.equal(begun, 0)
      }
      assert.equal((await client.echo({})).value, 'served')
    })
  }

  it('that begins and resets streams as fast as it can is thrown out', async test => {
    const { url, client } = await serveFor(test, { echo: () => ({ value: 'served' }), join: async () => ({}) }, patient)
    const rude = await openRawHttp2(url)
    test.after(() => rude.destroy())
    const block = call(`Bearer ${token}`)
    const cancel = Buffer.of(0, 0, 0, 8)
    for (let at = 0; at < 5_000; at++) {
      const stream = 2 * at + 1
      rude.send(headersOf(stream, block), { type: frameType.rstStream, stream, payload: cancel })
    }
    await rude.closed
    assert.equal((await client.echo({})).value, 'served')
  })

  it('that does not answer pings is not waited for', async test => {
    const { url } = await serveFor(test, {}, { keepAlive: { pingEveryMs: 10, pingTimeoutMs: 10 } })
    await (await openRawHttp2(url)).closed
  })

  it('that speaks no HTTP/2 ends nothing but its own connection', async test => {
    const { url, client } = await serveFor(test, { echo: () => ({ value: 'served' }) })
    await assert.rejects(fetch(url))
    assert.equal((await client.echo({})).value, 'served')
  })
})
