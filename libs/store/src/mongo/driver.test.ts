/** What `patches/` mends in the driver; see docs/decisions/mongodb-driver-patch.md. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { mongoMissing, startMongo } from '@millhand/test-servers'
import { MongoClient } from 'mongodb'

/** After this long the driver's monitor looks at a server at once when it is asked to. */
const NEXT_LOOK_MS = 600

test('a server is found again after its connections have ended one just before another', {
  skip: mongoMissing,
}, async t => {
  await using server = await startMongo()
  const proxy = await startProxy(Number(server.address.split(':')[1]))
  t.after(() => proxy.close())
  const ours = new Set<Socket>()
  const { connect: connectSocket, destroy } = Socket.prototype
  t.mock.method(Socket.prototype, 'connect', function (this: Socket, ...words: Parameters<typeof connectSocket>) {
    ours.add(this)
    return connectSocket.apply(this, words)
  })
  const client = new MongoClient(`mongodb://127.0.0.1:${proxy.port}/test`, {
    serverSelectionTimeoutMS: 3_000,
    retryReads: false,
  })
  t.after(() => client.close())
  const items = client.db().collection('items')
  await items.findOne()
  await sleep(NEXT_LOOK_MS)

  // The monitor's connection has ended and is destroyed, but its 'close' has not been told. Just then the operation's is
  // reset, so that the driver asks its monitor to look at the server: over that connection.
  let armed = true
  t.mock.method(Socket.prototype, 'destroy', function (this: Socket, error?: Error) {
    const ends = armed && !this.destroyed && this.remotePort === proxy.port
    destroy.call(this, error)
    if (!ends) return this
    armed = false
    for (const socket of ours)
      if (socket !== this && socket.remotePort === proxy.port) destroy.call(socket, new Error('read ECONNRESET'))
    return this
  })
  const held = proxy.hold()
  const lost = assert.rejects(items.findOne(), /read ECONNRESET/)
  await held
  proxy.endFirst()
  await lost
  assert.ok(!armed)
  assert.equal(await items.findOne(), null)
})

/** Passes on what is said, both ways. */
async function startProxy(to: number) {
  const callers: Socket[] = []
  let held: (() => void) | undefined
  const server = createServer({ allowHalfOpen: true }, caller => {
    const upstream = connect(to, '127.0.0.1')
    callers.push(caller)
    caller.on('data', chunk => (held ? held() : upstream.write(chunk)))
    for (const socket of [caller, upstream]) socket.on('error', () => {})
    caller.on('close', () => upstream.destroy())
    upstream.pipe(caller)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    /** Passes nothing on until `endFirst`; resolves at the first thing that would have been. */
    hold: () => new Promise<void>(resolve => (held = resolve)),
    /** Ends the first connection, which is the monitor's. */
    endFirst() {
      held = undefined
      callers[0]?.end()
    },
    close() {
      server.close()
      for (const caller of callers) caller.destroy()
    },
  }
}
