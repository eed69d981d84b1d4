import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { filesystemBlobs } from '@millhand/blob/filesystem'
import { manualClock } from '@millhand/process'
import { openSqlite, type SqliteDatabase } from '@millhand/store/sqlite'
import { blobOf, type Contents, createContents } from './contents.ts'
import { fileCollections } from './file-service.ts'
import { blobKeys, type Stores } from './files.fixture.ts'

const tenant = 'acct_a/live'

describe('the same content of many files', () => {
  let folder: string
  let db: SqliteDatabase
  let stores: Stores
  let contents: Contents

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millhand-contents-'))
    db = openSqlite({ file: join(folder, 'millhand.db') })
    stores = { ...fileCollections(db), blobs: await filesystemBlobs(join(folder, 'blobs')) }
    contents = createContents({ collection: stores.contents, blobs: stores.blobs, clock: manualClock() })
  })
  afterEach(async () => {
    await db.close()
    await rm(folder, { recursive: true })
  })

  async function keep(holder: string) {
    const place = await contents.begin(tenant)
    await stores.blobs.put(blobOf(tenant, place.id), Buffer.from('same'))
    return await contents.keep(place, 'sha', holder)
  }
  const release = (holder: string) => contents.release(tenant, 'sha', holder)

  it('loses no holder when many come and leave at once', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `file_${n}`)
    const place = (await Promise.all(names.map(keep)))[0] as string
    assert.deepEqual((await stores.contents.get(tenant, place))?.holders.toSorted(), names.toSorted())
    const [stays, ...others] = names as [string, ...string[]]
    await Promise.all(others.map(release))
    assert.deepEqual((await stores.contents.get(tenant, place))?.holders, [stays])
    assert.deepEqual(await blobKeys(stores), [blobOf(tenant, place)])
    await Promise.all([stays, stays].map(release))
    assert.deepEqual(await blobKeys(stores), [])
    assert.deepEqual(await stores.contents.find('primary', { equals: [], limit: 10 }), [])
  })

  it('is stored again for the 1,001st, and for whoever comes then', async () => {
    const first = await keep('file_0')
    const content = await stores.contents.get(tenant, first)
    assert.ok(content)
    const holders = Array.from({ length: 999 }, (_, n) => `file_${n}`)
    await stores.contents.write({
      kind: 'replace',
      version: content.version,
      document: { ...content, holders },
      events: [],
    })
    assert.equal(await keep('file_999'), first)
    const second = await keep('file_1000')
    assert.notEqual(second, first)
    assert.equal(await keep('file_1001'), second)
    assert.equal((await blobKeys(stores)).length, 2)

    await release('file_0')
    assert.equal(await keep('file_after'), second)
    for (const holder of ['file_1000', 'file_1001', 'file_after']) await release(holder)
    assert.deepEqual(await blobKeys(stores), [blobOf(tenant, first)])
  })
})
