/** What is seen, and what is left, when a stream, a process, a connection or the server breaks in the midst of a put. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { codeOf } from '@millhand/api'
import { manualClock } from '@millhand/process'
import { type Mongo, mongoMissing, startMongo } from '@millhand/test-servers'
import { BSON } from 'mongodb'
import type { Blobs } from '../blobs.ts'
import { assertNothingLeft, chunkCount, HOUR, keys, MIB, never, openBlobs, read, until } from './gridfs.fixture.ts'
import { gridfsBlobs } from './gridfs.ts'

describe('GridFS under faults', { skip: mongoMissing }, () => {
  let folder: string
  let server: Mongo
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gridfs-faults-'))
    server = await startMongo({ dataDir: folder })
  })
  after(async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** A call soon gives up to find a server. */
  const impatient = () => `${server.url()}?serverSelectionTimeoutMS=300`

  it('sweeps at once what a put has left whose stream broke', async t => {
    const { blobs, db } = openBlobs(t, server.url())
    await blobs.put('k', Buffer.from('before'))
    const broken = new PassThrough()
    const putting = assert.rejects(blobs.put('k', broken), /lost/)
    broken.write(Buffer.alloc(MIB))
    await until(async () => (await chunkCount(db)) === 3)
    broken.destroy(new Error('lost'))
    await putting
    await blobs.sweep(never)
    assert.equal(await chunkCount(db), 1)
    assert.equal((await read(blobs, 'k')).toString(), 'before')
  })

  it('leaves nothing visible of a put whose process died, and sweeps the rest a day later', async t => {
    const url = server.url()
    const { blobs, db, clock } = openBlobs(t, url)
    const dying = gridfsBlobs({ url, clock })
    const slow = new PassThrough()
    const putting = assert.rejects(dying.put('k', slow))
    slow.write(Buffer.alloc(MIB))
    await until(async () => (await chunkCount(db)) === 2)
    await dying.close() // It can't clean up any more.
    slow.destroy()
    await putting
    assert.equal(await blobs.get('k'), undefined)
    assert.deepEqual(await keys(blobs, ''), [])
    await clock.advance(23 * HOUR)
    await blobs.sweep(never)
    assert.equal(await chunkCount(db), 2)
    await clock.advance(2 * HOUR)
    await blobs.sweep(never)
    await assertNothingLeft(db)
  })

  it('fails an upload that was swept, and leaves nothing of it', async t => {
    const url = server.url()
    const { blobs, db } = openBlobs(t, url)
    const slow = new PassThrough()
    const putting = assert.rejects(blobs.put('k', slow), /was swept/)
    slow.write(Buffer.alloc(MIB))
    await until(async () => (await chunkCount(db)) === 2)
    const tomorrow = gridfsBlobs({ url, clock: manualClock(Date.now() + 25 * HOUR) })
    await tomorrow.sweep(never)
    await tomorrow.close()
    slow.end(Buffer.alloc(MIB))
    await putting
    await assertNothingLeft(db)
  })

  it('stores a put although the answer to its last write is lost', async t => {
    const proxy = await startProxy(t, server.address)
    const { blobs } = openBlobs(t, server.url().replace(server.address, proxy.address))
    await blobs.put('k', Buffer.from('before'))
    proxy.cut('answer', 'written_at')
    assert.equal((await blobs.put('k', Buffer.from('after'))).size, 5)
    assert.equal(proxy.cuts(), 1)
    assert.equal((await read(blobs, 'k')).toString(), 'after')
  })

  it('stores nothing of a put whose last write is lost', async t => {
    const proxy = await startProxy(t, server.address)
    const { blobs, db } = openBlobs(t, server.url().replace(server.address, proxy.address))
    await blobs.put('k', Buffer.from('before'))
    proxy.cut('request', 'written_at')
    await assert.rejects(blobs.put('k', Buffer.from('after')))
    assert.equal(proxy.cuts(), 1)
    assert.equal((await read(blobs, 'k')).toString(), 'before')
    await blobs.sweep(never)
    assert.equal(await chunkCount(db), 1)
  })

  it('waits for most of the servers and for their journals, whatever its URL says', async t => {
    const proxy = await startProxy(t, server.address)
    const url = `${server.url().replace(server.address, proxy.address)}?w=1&journal=false`
    const { blobs } = openBlobs(t, url)
    await blobs.put('k', Buffer.from('contents'))
    await blobs.delete('k')
    const writes = proxy.requests.filter(request => request.includes('insert') || request.includes('update'))
    assert.ok(writes.length >= 4)
    const concern = Buffer.from(BSON.serialize({ w: 'majority', j: true }))
    for (const write of writes) assert.ok(write.includes(concern))
  })

  it('makes nothing visible of a put whose server was killed, and sweeps the rest', async t => {
    const { blobs, db, clock } = openBlobs(t, impatient())
    await blobs.put('kept', Buffer.from('kept'))
    await blobs.put('k', Buffer.from('before'))
    const endless = new Readable({ read: () => endless.push(Buffer.alloc(50_000)) })
    const putting = assert.rejects(blobs.put('k', endless), unavailable)
    await until(async () => (await chunkCount(db)) > 5)
    await server.kill()
    await putting
    endless.destroy()
    await assert.rejects(blobs.get('k'), unavailable)
    await server.start()
    await found(blobs)
    assert.equal((await read(blobs, 'k')).toString(), 'before')
    assert.deepEqual(await keys(blobs, ''), ['k', 'kept'])
    assert.ok((await chunkCount(db)) > 3)
    await clock.advance(25 * HOUR)
    await blobs.sweep(never)
    assert.equal(await chunkCount(db), 2)
    assert.equal((await read(blobs, 'kept')).toString(), 'kept')
    await blobs.put('k', Buffer.from('after'))
    assert.equal((await read(blobs, 'k')).toString(), 'after')
  })

  it('says of every call that the store is away, while its server stands still and when it is killed', async t => {
    const { blobs } = openBlobs(t, `${impatient()}&socketTimeoutMS=1000&connectTimeoutMS=1000`)
    await blobs.put('k', Buffer.alloc(2 * MIB))
    const reading = await blobs.get('k')
    assert.ok(reading)
    const chunks = reading.iterator()
    await chunks.next()
    const calls = () => [
      blobs.put('new', Buffer.from('x')),
      blobs.get('k'),
      blobs.delete('k'),
      keys(blobs, ''),
      blobs.sweep(never),
    ]
    server.pause()
    try {
      const rest = (async () => {
        for await (const _ of chunks);
      })()
      await Promise.all([...calls(), rest].map(call => assert.rejects(call, unavailable)))
    } finally {
      server.resume()
    }
    await server.kill()
    await Promise.all(calls().map(call => assert.rejects(call, unavailable)))
    await server.start()
    await found(blobs)
    await blobs.put('k', Buffer.from('after'))
    assert.equal((await read(blobs, 'k')).toString(), 'after')
  })

  it('leaves a stream that breaks its own error, though it reads like that of a connection', async t => {
    const { blobs } = openBlobs(t, server.url())
    const broken = new PassThrough()
    const reset = Object.assign(new Error('the client has gone'), { code: 'ECONNRESET' })
    setImmediate(() => broken.destroy(reset))
    await assert.rejects(blobs.put('k', broken), reset)
  })

  it('connects as soon as there is a server, and not once it is closed', async t => {
    await server.stop()
    const { blobs } = openBlobs(t, impatient())
    for (let tries = 0; tries < 2; tries++) await assert.rejects(blobs.put('k', Buffer.from('x')), unavailable)
    await server.start()
    await found(blobs)
    await blobs.put('k', Buffer.from('y'))
    assert.equal((await read(blobs, 'k')).toString(), 'y')
    await blobs.close()
    await blobs.close()
    await assert.rejects(blobs.get('k'), /closed/)
  })
})

/** The driver looks for its server twice a second, and these calls do not wait for that. */
const found = (blobs: Blobs) =>
  until(() =>
    blobs.get('k').then(
      () => true,
      () => false,
    ),
  )

const unavailable = (error: unknown) => codeOf(error) === 'unavailable'

/** Stands between, keeps what was asked, and cuts the connection once: before a request that holds the word, or before the answer to it. */
async function startProxy(t: { after(fn: () => void): void }, target: string) {
  const [host = '', port] = target.split(':')
  let armed: { readonly what: 'request' | 'answer'; readonly word: string } | undefined
  let cuts = 0
  const requests: Buffer[] = []
  const sockets = new Set<Socket>()
  const server = createServer(client => {
    const upstream = connect(Number(port), host)
    let muted = false
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => undefined))
    const cut = () => {
      cuts++
      client.destroy()
      upstream.destroy()
    }
    client.on('data', data => {
      requests.push(data)
      const hit = armed !== undefined && data.includes(armed.word)
      if (hit && armed?.what === 'answer') muted = true
      const now = hit && armed?.what === 'request'
      if (hit) armed = undefined
      if (now) cut()
      else upstream.write(data)
    })
    upstream.on('data', data => {
      if (muted) cut()
      else client.write(data)
    })
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut(what: 'request' | 'answer', word: string) {
      armed = { what, word }
    },
    cuts: () => cuts,
    requests,
  }
}
