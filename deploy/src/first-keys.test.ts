import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createApiKey } from '@millhand/api'
import type { Catalogue } from '@millhand/model'
import { announce } from './announce.ts'
import { type FirstKeys, firstKeys } from './first-keys.ts'

let parent: string
before(async () => {
  parent = await mkdtemp(join(tmpdir(), 'millhand-keys-'))
})
after(() => rm(parent, { recursive: true }))

const folder = () => mkdtemp(join(parent, 'data-'))

test('the first start makes both keys, for their owner alone; later ones find them', async () => {
  const dataDir = await folder()
  const first = await firstKeys(dataDir, {})
  assert.deepEqual(first.made, { live: first.live, test: first.test })
  assert.equal((await stat(first.file as string)).mode & 0o777, 0o600)
  const later = await firstKeys(dataDir, {})
  assert.deepEqual(later, { ...first, made: {} })
})

test('a key that is set stands in for the one of the file', async () => {
  const dataDir = await folder()
  const live = createApiKey('live')
  const keys = await firstKeys(dataDir, { live })
  assert.equal(keys.live, live)
  assert.deepEqual(keys.made, { test: keys.test })
  assert.ok(!(await readFile(keys.file as string, 'utf8')).includes(live))
  assert.equal((await firstKeys(dataDir, { live })).test, keys.test)
})

test('where both are set there is no file', async () => {
  const set = { live: createApiKey('live'), test: createApiKey('test') }
  assert.deepEqual(await firstKeys(await folder(), set), { ...set, file: undefined, made: {} })
})

/** What a start with these keys shows on a terminal. */
function shown(keys: FirstKeys): string {
  let text = ''
  const models: Pick<Catalogue, 'get'> = { get: () => undefined }
  const terminal = { isTTY: true, write: (part: string) => (text += part) }
  const served = {
    ...{ url: 'http://127.0.0.1:8080', grpc: 'http://127.0.0.1:8081', metrics: 'http://127.0.0.1:9464' },
    ...{ keys, models: models as Catalogue },
  }
  announce(served, terminal as unknown as NodeJS.WriteStream)
  return text
}

test('a terminal shows keys at the start that makes them, and then only where they are', async () => {
  const dataDir = await folder()
  const first = await firstKeys(dataDir, {})
  const text = shown(first)
  for (const part of [first.live, first.test, first.file as string]) assert.ok(text.includes(part), part)
  const later = shown(await firstKeys(dataDir, {}))
  assert.ok(later.includes(first.file as string))
  assert.doesNotMatch(later, /mh_(live|test)_/)
})

test('a terminal never shows a key that a variable sets', async () => {
  const live = createApiKey('live')
  const keys = await firstKeys(await folder(), { live })
  const text = shown(keys)
  assert.ok(!text.includes(live))
  assert.ok(text.includes(keys.test))
  assert.doesNotMatch(shown(await firstKeys(await folder(), { live, test: createApiKey('test') })), /mh_|keys/i)
})
