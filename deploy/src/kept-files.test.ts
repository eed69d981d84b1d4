/** Files of the data folder that are broken: a start says which, and what to do. */
import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createApiKey } from '@millhand/api'
import { openSqlite } from '@millhand/store/sqlite'
import { firstKeys } from './first-keys.ts'
import { secretKey } from './secret-key.ts'
import { startFault } from './start-fault.ts'
import { storeFault } from './store-fault.ts'
import { UnusableFile } from './unusable-file.ts'

let parent: string
before(async () => {
  parent = await mkdtemp(join(tmpdir(), 'millhand-kept-'))
})
after(() => rm(parent, { recursive: true }))

const folder = () => mkdtemp(join(parent, 'data-'))

/** What a start that fails so shows: one line that begins with the file's name. */
function assertTold(error: unknown, file: string, says: RegExp) {
  assert.ok(error instanceof UnusableFile, String(error))
  assert.ok(error.message.startsWith(`${file} `), error.message)
  const shown = startFault(error)
  assert.match(shown, says)
  assert.ok(shown.includes(file) && !shown.includes('\n'), shown)
  return true
}

test('a secret key that was cut is told by its file, and one that is whole is kept', async () => {
  const dataDir = await folder()
  const file = join(dataDir, 'secret-key')
  const made = await secretKey(dataDir, undefined)
  assert.deepEqual(await secretKey(dataDir, undefined), made)
  for (const text of ['', 'x'.repeat(31)]) {
    await writeFile(file, text)
    await assert.rejects(secretKey(dataDir, undefined), error =>
      assertTold(error, file, new RegExp(`has ${text.length} bytes.*at least 32.*Restore it`)),
    )
  }
})

test('bootstrap keys that are none are told by their file, and never shown', async () => {
  const [live, testing] = [createApiKey('live'), createApiKey('test')]
  for (const text of [
    '',
    `{"live":"${live}","te`,
    'null',
    '[]',
    '3',
    '{}',
    JSON.stringify({ live }),
    JSON.stringify({ live, test: 3 }),
    JSON.stringify({ live, test: live }),
    JSON.stringify({ live, test: `${testing}x` }),
  ]) {
    const dataDir = await folder()
    const file = join(dataDir, 'bootstrap-keys.json')
    await writeFile(file, text)
    await assert.rejects(firstKeys(dataDir, {}), error => {
      assert.ok(!String(error).includes(live.slice(0, 12)), String(error))
      return assertTold(error, file, /does not hold a live and a test key.*Restore it/)
    })
    assert.equal(await readFile(file, 'utf8'), text)
  }
})

test('what is in the place of a file is told too', async () => {
  const dataDir = await folder()
  for (const name of ['secret-key', 'bootstrap-keys.json']) await mkdir(join(dataDir, name))
  await assert.rejects(secretKey(dataDir, undefined), error => assertTold(error, join(dataDir, 'secret-key'), /read/))
  await assert.rejects(firstKeys(dataDir, {}), error => assertTold(error, join(dataDir, 'bootstrap-keys.json'), /read/))
})

/** What opening the store of a folder fails with. */
function storeFailure(dataDir: string): unknown {
  try {
    void openSqlite({ file: join(dataDir, 'millhand.db') }).close()
  } catch (error) {
    return storeFault(error, dataDir)
  }
  return undefined
}

test('a store that is no database, or whose lock is none, is told by its file', async () => {
  const dataDir = await folder()
  const file = join(dataDir, 'millhand.db')
  await writeFile(file, 'No database, but long enough that it can be told from an empty one. '.repeat(20))
  assertTold(storeFailure(dataDir), file, /not a database.*Restore the data folder/)
  await writeFile(`${file}.lock`, 'No lock either. '.repeat(100))
  assertTold(storeFailure(dataDir), `${file}.lock`, /not a database.*Remove it/)
})

test('a folder that nothing can be written to is told by its setting', async t => {
  // Root may write anywhere but here.
  const dataDir = process.getuid?.() === 0 ? '/proc' : await folder()
  if (dataDir !== '/proc') {
    await chmod(dataDir, 0o500)
    t.after(() => chmod(dataDir, 0o700))
  }
  assertTold(storeFailure(dataDir), dataDir, /unable to open.*MILLHAND_DATA_DIR must be a folder/)
})

test('another error stays as it is', () => {
  const error = new Error('odd')
  assert.equal(storeFault(error, '/data'), error)
})
