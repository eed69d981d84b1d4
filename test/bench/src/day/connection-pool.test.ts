import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { httpRequest } from '../http-request.ts'
import { openPool } from './connection-pool.ts'

const get = httpRequest({ method: 'GET', path: '/' })

async function serve(t: TestContext, listener: RequestListener) {
  const server = createServer(listener)
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

test('a connection is used again, and no more are opened than may be', async t => {
  let [open, most] = [0, 0]
  const server = await serve(t, (_, response) => {
    most = Math.max(most, ++open)
    setImmediate(() => {
      open -= 1
      response.writeHead(200, { 'content-length': 2 }).end('ok')
    })
  })
  using pool = openPool({ host: '127.0.0.1', port: server.port }, 4)
  await pool.send(get)
  await pool.send(get)
  assert.equal(server.connections(), 1)
  const answers = await Promise.all(Array.from({ length: 100 }, () => pool.send(get)))
  assert.ok(answers.every(({ status, body }) => status === 200 && body === 'ok'))
  assert.equal(server.connections(), 4)
  assert.ok(most <= 4, `${most} at once`)
})

test('a connection that the server ends is not used again, and what waited for it has another', async t => {
  let requests = 0
  const server = await serve(t, (request, response) => {
    requests += 1
    if (requests === 3) request.socket.destroy()
    else response.writeHead(200, { 'content-length': 2, ...(requests === 1 && { connection: 'close' }) }).end('ok')
  })
  using pool = openPool({ host: '127.0.0.1', port: server.port }, 1)
  const sent = await Promise.allSettled(Array.from({ length: 5 }, () => pool.send(get)))
  assert.deepEqual(
    sent.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  )
  assert.equal(server.connections(), 3)
})
