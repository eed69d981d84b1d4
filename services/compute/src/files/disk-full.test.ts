/** Whoever is slow, the disk or the caller, slows the other: nobody in between holds what waits. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createContextValues, type Transport } from '@connectrpc/connect'
import { FileService } from '@millhand/api/gen/millhand/compute/v1/file_service_pb.ts'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { systemClock as clock } from '@millhand/process'
import { createDirectTransport, principalKey } from '@millhand/rpc'
import { createTunnelTransport, type TunnelTransport, tunnelRoutes } from '@millhand/rpc/tunnel'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { fileCollections } from './file-service.ts'
import { as, described, openService, type Part, type Stores } from './files.fixture.ts'

const KIB = 1024
const PARTS = 200
const caller = as('acct_a')

/** Long enough for everything that can go on to go on. */
const settled = async () => {
  for (let turn = 0; turn < 500; turn++) await new Promise(resolve => setImmediate(resolve))
}

for (const way of ['direct', 'tunnel'] as const) {
  describe(`files over the ${way} transport`, () => {
    let folder: string
    let db: SqliteDatabase
    let stores: Stores
    let tunnel: TunnelTransport | undefined

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'millhand-pressure-'))
      db = openSqlite({ file: join(folder, 'millhand.db') })
      stores = { ...fileCollections(db), blobs: await filesystemBlobs(join(folder, 'blobs')) }
    })
    afterEach(async () => {
      await tunnel?.close()
      await db.close()
      await rm(folder, { recursive: true })
    })

    const open = (blobs: Stores['blobs']) => openService({ ...stores, blobs }, clock, { over })

    function over(direct: Transport): Transport {
      if (way === 'direct') return direct
      const values = () => createContextValues().set(principalKey, caller.contextValues?.get(principalKey))
      const tunnels = tunnelRoutes({ transport: direct, services: [FileService], admit: values })
      const replica = createDirectTransport()
      tunnels.routes(replica)
      tunnel = createTunnelTransport({ replicas: [replica] })
      return tunnel
    }

    it('an upload is read no faster than it is stored', async () => {
      const disk = Promise.withResolvers<void>()
      const { client } = open({
        ...stores.blobs,
        async put(key, content, options) {
          await disk.promise
          return await stores.blobs.put(key, content, options)
        },
      })
      let sent = 0
      async function* parts(): AsyncGenerator<Part> {
        yield described()
        for (; sent < PARTS; sent++) yield { part: { case: 'data', value: Buffer.alloc(64 * KIB, sent) } }
      }
      const uploading = client.uploadFile(parts(), caller)
      await settled()
      assert.ok(sent <= 8, `${sent} parts of 64 KiB were read`)
      disk.resolve()
      assert.equal((await uploading).bytes, PARTS * 64 * KIB)
    })

    it('a download is read no faster than its caller reads', async () => {
      let read = 0
      const { client } = open({
        ...stores.blobs,
        async get() {
          const content = async function* () {
            for (; read < PARTS; read++) yield Buffer.alloc(64 * KIB, read)
          }
          return Readable.from(content(), { objectMode: false })
        },
      })
      async function* parts(): AsyncGenerator<Part> {
        yield described()
        for (let n = 0; n < PARTS; n++) yield { part: { case: 'data', value: Buffer.alloc(64 * KIB, n) } }
      }
      const { id } = await client.uploadFile(parts(), caller)
      const downloading = client.getFileContent({ id }, caller)[Symbol.asyncIterator]()
      await downloading.next()
      await settled()
      assert.ok(read <= 8, `${read} parts of 64 KiB were read`)
      let bytes = 0
      for (let next = await downloading.next(); !next.done; next = await downloading.next()) {
        if (next.value.part.case === 'data') bytes += next.value.part.value.length
      }
      assert.equal(bytes, PARTS * 64 * KIB)
    })

    it('a download that its caller leaves closes the contents', async () => {
      const closed = Promise.withResolvers<void>()
      const { client } = open({
        ...stores.blobs,
        async get(key) {
          const content = await stores.blobs.get(key)
          content?.on('close', closed.resolve)
          return content
        },
      })
      async function* parts(): AsyncGenerator<Part> {
        yield described()
        for (let n = 0; n < PARTS; n++) yield { part: { case: 'data', value: Buffer.alloc(64 * KIB, n) } }
      }
      const { id } = await client.uploadFile(parts(), caller)
      const leaving = new AbortController()
      const content = client.getFileContent({ id }, as('acct_a', 'live', { signal: leaving.signal }))
      await content[Symbol.asyncIterator]().next()
      leaving.abort()
      await closed.promise
    })
  })
}
