import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createApiKey } from '@millhand/api'
import type { Catalogue } from '@millhand/model'
import { type EnsuredKeys, ensureBootstrapKeys } from './bootstrap-keys.ts'
import { printReadyLine } from './ready-line.ts'

let parent: string
before(async () => {
  parent = await mkdtemp(join(tmpdir(), 'millhand-keys-'))
})
after(() => rm(parent, { recursive: true }))

const folder = () => mkdtemp(join(parent, 'data-'))

test('the first start makes both keys, for their owner alone; later ones find them', async () => {
  const dataDir = await folder()
  const first = await ensureBootstrapKeys(dataDir, {})
  assert.deepEqual(first.made, { live: first.live, test: first.test })
  assert.equal((await stat(first.file as string)).mode & 0o777, 0o600)
  const later = await ensureBootstrapKeys(dataDir, {})
  assert.deepEqual(later, { ...first, made: {} })
})

test('a key that is set stands in for the one of the file', async () => {
  const dataDir = await folder()
  const live = createApiKey('live')
  const keys = await ensureBootstrapKeys(dataDir, { live })
  assert.equal(keys.live, live)
  assert.deepEqual(keys.made, { test: keys.test })
  assert.ok(!(await readFile(keys.file as string, 'utf8')).includes(live))
  assert.equal((await ensureBootstrapKeys(dataDir, { live })).test, keys.test)
})

test('where both are set there is no file', async () => {
  const set = { live: createApiKey('live'), test: createApiKey('test') }
  assert.deepEqual(await ensureBootstrapKeys(await folder(), set), { ...set, file: undefined, made: {} })
})

/** What a start with these keys shows on a terminal. */
function shown(keys: EnsuredKeys): string {
  let text = ''
  const models: Pick<Catalogue, 'get'> = { get: () => undefined }
  const terminal = { isTTY: true, write: (part: string) => (text += part) }
  const served = {
    ...{ url: 'http://127.0.0.1:8080', grpc: 'http://127.0.0.1:8081', metrics: 'http://127.0.0.1:9464' },
    ...{ keys, models: models as Catalogue },
  }
  printReadyLine(served, terminal as unknown as NodeJS.WriteStream)
  return text
}

test('a terminal shows keys at the start that makes them, and then only where they are', async () => {
  const dataDir = await folder()
  const first = await ensureBootstrapKeys(dataDir, {})
  const text = shown(first)
  for (const part of [first.live, first.test, first.file as string]) assert.ok(text.includes(part), part)
  const later = shown(await ensureBootstrapKeys(dataDir, {}))
  assert.ok(later.includes(first.file as string))
  assert.doesNotMatch(later, /mh_(live|test)_/)
})

test('a terminal never shows a key that a variable sets', async () => {
  const live = createApiKey('live')
  const keys = await ensureBootstrapKeys(await folder(), { live })
  const text = shown(keys)
  assert.ok(!text.includes(live))
  assert.ok(text.includes(keys.test))
  assert.doesNotMatch(
    shown(await ensureBootstrapKeys(await folder(), { live, test: createApiKey('test') })),
    /mh_|keys/i,
  )
})
