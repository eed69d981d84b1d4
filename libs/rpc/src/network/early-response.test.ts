import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { describe, it } from 'node:test'
import { serveFor, token } from './network.fixture.ts'

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

/** A message of Connect's streams, which is a StringValue of nothing but unknown fields. */
function envelope(bytes: number): Buffer {
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(bytes, 1)
  return Buffer.concat([prefix, Buffer.alloc(bytes)])
}
