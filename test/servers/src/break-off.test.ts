import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { test } from 'node:test'
import { breakOff } from './break-off.ts'

test('a connection is broken off by a reset, and one that ends by itself is closed', async t => {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  for (const ends of [false, true]) {
    const client = connect(port, '127.0.0.1')
    const [[served]] = await Promise.all([once(server, 'connection'), once(client, 'connect')])
    const closed = once(client, 'close')
    const heard = once(served, ends ? 'end' : 'error')
    served.resume()
    if (ends) client.end()
    breakOff(client)
    await closed
    if (!ends) assert.equal((await heard)[0].code, 'ECONNRESET')
    served.destroy()
  }
})
