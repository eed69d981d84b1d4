import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { createClient } from '@connectrpc/connect'
import { LeaseService } from '@millhand/api/gen/millhand/lease/v1/lease_service_pb.ts'
import { createRunner, manualClock } from '@millhand/process'
import { createDirectTransport } from '@millhand/rpc'
import { createLog } from '@millhand/telemetry'
import { createReplicaConnections } from './replica-connections.ts'
import { openReplica } from './service-clients.ts'

test('a way to a peer is opened once, and closed when nobody asked for it in ten minutes, or at the end', async () => {
  const clock = manualClock(0)
  const runner = createRunner({ log: createLog({ level: 'error' }), clock })
  const seen: string[] = []
  const open = (address: string) => {
    seen.push(`open ${address}`)
    return { tunnel: createDirectTransport(), close: async () => void seen.push(`close ${address}`) }
  }
  const peer = createReplicaConnections(open, { clock, runner })
  const way = peer('one')
  peer('two')
  await clock.advance(300_000)
  assert.equal(peer('one'), way)
  assert.deepEqual(seen.splice(0), ['open one', 'open two'])
  await clock.advance(300_000)
  assert.deepEqual(seen.splice(0), ['close two'])
  assert.equal(peer('one'), way)
  peer('two')
  assert.deepEqual(seen.splice(0), ['open two'])
  await runner.stop('the test is over')
  assert.deepEqual(seen, ['close one', 'close two'])
})

test('a call to a peer that is gone fails before another has taken its place', async () => {
  const gone = createServer().listen(0, '127.0.0.1')
  await once(gone, 'listening')
  const address = gone.address()
  assert.ok(address !== null && typeof address === 'object')
  await new Promise(resolve => gone.close(resolve))
  const caller = { token: 'none', expiresAt: undefined, tls: undefined }
  const peer = openReplica('compute', `http://127.0.0.1:${address.port}`, caller, createLog({ level: 'error' }))
  try {
    const asking = createClient(LeaseService, peer.tunnel).renew({ executorId: 'exec_a' })
    await assert.rejects(asking, /no replica took the call within 250 ms/)
  } finally {
    await peer.close()
  }
})

test('streams have another way to a peer than calls: however many there are, claims and renewals have room', async () => {
  const tunnels: string[] = []
  const peers = createHttp2Server()
  const { promise: twoTunnels, resolve, reject } = Promise.withResolvers<void>()
  peers.on('stream', (stream, { ':path': path }) => {
    stream.on('error', () => {})
    stream.on('close', () => reject(new Error('one was closed before the other was opened')))
    if (tunnels.push(String(path)) === 2) resolve()
  })
  await once(peers.listen(0, '127.0.0.1'), 'listening')
  const { port } = peers.address() as AddressInfo
  const caller = { token: 'none', expiresAt: undefined, tls: undefined }
  const peer = openReplica('compute', `http://127.0.0.1:${port}`, caller, createLog({ level: 'error' }))
  try {
    await twoTunnels
    assert.deepEqual(tunnels, Array(2).fill('/millhand.rpc.v1.TunnelService/Open'))
  } finally {
    await peer.close()
    peers.close()
  }
})
