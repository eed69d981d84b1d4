import assert from 'node:assert/strict'
import { type FileHandle, mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeOnce } from './write-once.ts'

test('the first writes, the second finds it, and nothing else is left', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-once-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'key')
  assert.deepEqual([await writeOnce(file, 'first'), await writeOnce(file, 'second')], [true, false])
  assert.equal(await readFile(file, 'utf8'), 'first')
  assert.deepEqual(await readdir(folder), ['key'])
})

test('content and name are on disk before it resolves', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'millhand-once-'))
  t.after(() => rm(folder, { recursive: true }))
  const any = await open(folder)
  const handles = Object.getPrototypeOf(any) as FileHandle
  await any.close()
  const synced: string[] = []
  const sync = handles.sync
  t.mock.method(handles, 'sync', async function (this: FileHandle) {
    synced.push((await this.stat()).isDirectory() ? `folder of ${await readdir(folder)}` : 'file')
    return await sync.call(this)
  })
  await writeOnce(join(folder, 'key'), 'x')
  assert.deepEqual(synced, ['file', `folder of key,key.${process.pid}`])
})
