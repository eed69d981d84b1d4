import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { after, describe, it } from 'node:test'
import { describeBlobs, type OpenBlobs } from '../blobs.contract.ts'
import { filesystemBlobs } from './filesystem.ts'

const root = await mkdtemp(join(tmpdir(), 'blobs-'))
after(() => rm(root, { recursive: true, force: true }))
let folders = 0
const newFolder = () => join(root, `${++folders}`)

describeBlobs('filesystem', async () => opened(newFolder()))

describe('filesystem: Blobs', () => {
  it('removes at open what broken puts have left', async () => {
    const folder = newFolder()
    await filesystemBlobs(folder).put('a', Buffer.from('kept'))
    await mkdir(join(folder, 'incoming'), { recursive: true })
    await writeFile(join(folder, 'incoming', 'left-by-a-crash'), 'half')
    const blobs = filesystemBlobs(folder)
    assert.deepEqual(await readdir(join(folder, 'incoming')), [])
    for await (const { key } of blobs.list('')) assert.equal(key, 'a')
    assert.notEqual(await blobs.get('a'), undefined)
  })

  it('leaves no temporary file behind a put that fails', async () => {
    const folder = newFolder()
    const broken = new PassThrough()
    broken.write('begun')
    const putting = filesystemBlobs(folder).put('a', broken)
    setImmediate(() => broken.destroy(new Error('lost')))
    await assert.rejects(putting, /lost/)
    assert.deepEqual(await readdir(join(folder, 'incoming')), [])
  })

  it('writes nothing under the key before all has come', async () => {
    const folder = newFolder()
    const blobs = filesystemBlobs(folder)
    const slow = new PassThrough()
    const putting = blobs.put('a', slow)
    slow.write('first half, ')
    while (slow.readableLength > 0) await new Promise(resolve => setImmediate(resolve))
    assert.equal(await blobs.get('a'), undefined)
    slow.end('second half')
    await putting
    assert.notEqual(await blobs.get('a'), undefined)
  })

  it('does not follow a range that is none', async () => {
    const blobs = filesystemBlobs(newFolder())
    await assert.rejects(blobs.get('a', { start: 2, end: 1 }), RangeError)
    await assert.rejects(blobs.get('a', { start: -1, end: 1 }), RangeError)
  })
})

function opened(folder: string): OpenBlobs {
  return { blobs: filesystemBlobs(folder), reopen: async () => opened(folder), close: async () => {} }
}
