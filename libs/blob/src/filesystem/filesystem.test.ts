import assert from 'node:assert/strict'
import { mkdtemp, open, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, describe, it, type TestContext } from 'node:test'
import { describeBlobs, type OpenBlobs } from '../blobs.contract.ts'
import type { Blobs } from '../blobs.ts'
import { filesystemBlobs } from './filesystem.ts'

const root = await mkdtemp(join(tmpdir(), 'blobs-'))
after(() => rm(root, { recursive: true, force: true }))
let folders = 0
const newFolder = () => join(root, `${++folders}`)

describeBlobs('filesystem', () => opened(newFolder()))

describe('filesystem: Blobs', () => {
  it('removes at open what broken puts have left', async () => {
    const folder = newFolder()
    await (await filesystemBlobs(folder)).put('a', Buffer.from('kept'))
    await writeFile(join(folder, 'incoming', 'left-by-a-crash'), 'half')
    const blobs = await filesystemBlobs(folder)
    assert.deepEqual(await readdir(join(folder, 'incoming')), [])
    for await (const { key } of blobs.list('')) assert.equal(key, 'a')
    assert.equal(await textOf(blobs, 'a'), 'kept')
  })

  it('leaves no temporary file behind a put that fails', async () => {
    const folder = newFolder()
    const broken = new PassThrough()
    broken.write('begun')
    const putting = (await filesystemBlobs(folder)).put('a', broken)
    setImmediate(() => broken.destroy(new Error('lost')))
    await assert.rejects(putting, /lost/)
    assert.deepEqual(await readdir(join(folder, 'incoming')), [])
  })

  it('writes nothing under the key before all has come', async () => {
    const blobs = await filesystemBlobs(newFolder())
    const slow = new PassThrough()
    const putting = blobs.put('a', slow)
    slow.write('first half, ')
    while (slow.readableLength > 0) await new Promise(resolve => setImmediate(resolve))
    assert.equal(await blobs.get('a'), undefined)
    slow.end('second half')
    await putting
    assert.equal(await textOf(blobs, 'a'), 'first half, second half')
  })

  it('syncs what it opens, puts and deletes, with the folders above that are new', async t => {
    const folder = join(newFolder(), 'new')
    const synced = await syncs(t)
    const blobs = await filesystemBlobs(folder)
    for (const made of [folder, dirname(folder), root]) assert.ok(await synced(made), made)
    const contents = join(folder, 'contents')
    for (let times = 0; times < 2; times++) {
      await blobs.put('a/b/c', Buffer.from('x'))
      for (const path of ['a/b/c@', 'a/b']) assert.ok(await synced(join(contents, path)), path)
      for (const path of ['a', '']) assert.equal(await synced(join(contents, path)), times === 0, path)
    }
    await blobs.put('a/d/c', Buffer.from('x'))
    for (const path of ['a/d', 'a', '']) assert.ok(await synced(join(contents, path)), path)
    for (let times = 0; times < 2; times++) {
      await blobs.delete('a/b/c')
      assert.ok(await synced(join(contents, 'a/b')))
    }
    await rm(join(contents, 'a'), { recursive: true })
    await blobs.put('a/b/c', Buffer.from('x'))
    for (const path of ['a/b', 'a', '']) assert.ok(await synced(join(contents, path)), path)
  })

  it('answers puts at once when each has been synced, with fewer syncs than puts', async t => {
    const blobs = await filesystemBlobs(newFolder())
    const count = await countedSyncs(t)
    const keys = Array.from({ length: 40 }, (_, at) => `a/${at}`)
    await Promise.all(keys.map(key => blobs.put(key, Buffer.from(key))))
    for (const key of keys) assert.equal(await textOf(blobs, key), key)
    const ofFolders = count() - keys.length
    assert.ok(ofFolders < keys.length, `${ofFolders} syncs of folders`)
  })
})

async function opened(folder: string): Promise<OpenBlobs> {
  return { blobs: await filesystemBlobs(folder), reopen: () => opened(folder), close: async () => {} }
}

async function textOf(blobs: Blobs, key: string): Promise<string> {
  const stream = await blobs.get(key)
  assert.ok(stream)
  return text(stream)
}

/** Says whether a file or folder was synced since it was last asked about it. */
async function syncs(t: TestContext): Promise<(path: string) => Promise<boolean>> {
  const inodes = new Set<number>()
  await using file = await open(root)
  const FileHandle = Object.getPrototypeOf(file)
  const { sync } = FileHandle
  t.mock.method(FileHandle, 'sync', async function (this: typeof file) {
    await sync.call(this)
    inodes.add((await this.stat()).ino)
  })
  return async path => inodes.delete((await stat(path)).ino)
}

/** How many files and folders have been synced since. */
async function countedSyncs(t: TestContext): Promise<() => number> {
  await using file = await open(root)
  const { sync } = Object.getPrototypeOf(file)
  const { mock } = t.mock.method(Object.getPrototypeOf(file), 'sync', sync)
  return () => mock.callCount()
}
