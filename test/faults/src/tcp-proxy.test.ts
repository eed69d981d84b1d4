import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { createLink } from './tcp-proxy.ts'

test('carries what is said both ways, and the ends', async () => {
  await using pair = await linked()
  const socket = await pair.open()
  socket.end('hello')
  assert.equal(await all(socket), 'hello')
})

test('refuses while it leads nowhere', async () => {
  await using link = await createLink()
  await assert.rejects(async () => said(await opened(link.address)))
})

test('cuts what is open and refuses what is new, until it is healed', async () => {
  await using pair = await linked()
  const socket = await pair.open()
  const cut = said(socket)
  pair.link.cut()
  await assert.rejects(cut)
  await assert.rejects(async () => said(await pair.open()))
  pair.link.heal()
  const healed = await pair.open()
  healed.write('again')
  assert.equal(await said(healed), 'again')
})

test('holds what is said, and lets it through once it is healed', async () => {
  await using pair = await linked()
  const socket = await pair.open()
  socket.write('first')
  assert.equal(await said(socket), 'first')
  pair.link.hold()
  const heard: string[] = []
  socket.on('data', chunk => heard.push(String(chunk)))
  socket.write('held')
  const other = await pair.open()
  other.write('new')
  await crossed(pair)
  assert.deepEqual(heard, [])
  pair.link.heal()
  assert.equal(await said(other), 'new')
  while (heard.join('') !== 'held') await once(socket, 'data')
})

test('delays what is said by as much as was asked for, there and back', async () => {
  await using pair = await linked()
  const socket = await pair.open()
  pair.link.delay(40)
  const began = performance.now()
  socket.write('slow')
  assert.equal(await said(socket), 'slow')
  assert.ok(performance.now() - began >= 79, `${performance.now() - began} ms`)
})

/** A link to a server that says what it hears. */
async function linked() {
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, socket => {
    sockets.add(socket)
    socket.on('error', () => {}).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const link = await createLink()
  link.leadTo(`127.0.0.1:${port}`)
  return {
    link,
    target: `127.0.0.1:${port}`,
    open: () => opened(link.address),
    async [Symbol.asyncDispose]() {
      await link[Symbol.asyncDispose]()
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** A whole exchange past the link: what came through it meanwhile has come. */
async function crossed({ target }: { readonly target: string }): Promise<void> {
  for (let round = 0; round < 5; round++) {
    const beside = await opened(target)
    beside.write('.')
    await said(beside)
    beside.destroy()
  }
}

async function opened(address: string): Promise<Socket> {
  const socket = connect(Number(address.split(':')[1]), '127.0.0.1')
  socket.setEncoding('utf8').on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** The next thing that is said; rejects when the connection is reset or ends before. */
async function said(socket: Socket): Promise<string> {
  const closed = once(socket, 'close').then(() => {
    throw new Error('closed')
  })
  const [text] = await Promise.race([once(socket, 'data'), closed])
  return text
}

async function all(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}
