/** Files of the data folder that are broken: a start says which, and what to do. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createApiKey } from '@millhand/api'
import { ensureFirstAccount, enterprise, identityCollections } from '@millhand/identity'
import { systemClock } from '@millhand/process'
import { openSqlite } from '@millhand/store/sqlite'
import { ensureBootstrapKeys } from './bootstrap-keys.ts'
import { serve } from './processes.fixture.ts'
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

/** The secret key of a folder at its first start. */
const keyOf = (dataDir: string) => secretKey({ dataDir, configured: undefined, isFirstStart: async () => true })

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
  const made = await keyOf(dataDir)
  assert.deepEqual(await keyOf(dataDir), made)
  for (const text of ['', 'x'.repeat(31)]) {
    await writeFile(file, text)
    await assert.rejects(keyOf(dataDir), error =>
      assertTold(error, file, new RegExp(`has ${text.length} bytes.*at least 32.*Restore it`)),
    )
  }
})

test('a secret key that is missing beside an old database stops the start, and none is made in its place', async t => {
  const dataDir = await folder()
  const file = join(dataDir, 'secret-key')
  const start = async () => {
    const words = ['--disable-warning=ExperimentalWarning', fileURLToPath(new URL('start.ts', import.meta.url))]
    const any = '127.0.0.1:0'
    const child = spawn(process.execPath, words, {
      env: {
        PATH: process.env.PATH,
        MILLHAND_DATA_DIR: dataDir,
        MILLHAND_EXECUTOR_SLOTS: '0',
        MILLHAND_HTTP_ADDR: any,
        MILLHAND_GRPC_ADDR: any,
        MILLHAND_METRICS_ADDR: any,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    t.after(() => child.kill('SIGKILL'))
    let [said, isReady] = ['', false]
    child.stderr.on('data', chunk => {
      said += chunk
    })
    child.stdout.once('data', () => {
      isReady = true
      child.kill('SIGTERM')
    })
    const [code] = await once(child, 'close')
    return { code, said, isReady, pid: child.pid }
  }
  const db = openSqlite({ file: join(dataDir, 'millhand.db') })
  const keys = { live: createApiKey('live'), test: createApiKey('test') }
  await ensureFirstAccount({ ...identityCollections(db), clock: systemClock }, { keys, plans: enterprise })
  await db.close()
  const refused = await start()
  assert.deepEqual([refused.code, refused.isReady], [1, false], refused.said)
  assert.match(
    refused.said,
    /^Millhand can't start: \S+secret-key is missing, .*Restore it from a backup, or set MILLHAND_SECRET_KEY.*\.$/m,
  )
  assert.equal(existsSync(file), false)
  // What it says to do.
  const configured = 'x'.repeat(32)
  assert.equal(String(await secretKey({ dataDir, configured, isFirstStart: async () => false })), configured)
  await writeFile(file, `${randomBytes(32).toString('base64')}\n`)
  const started = await start()
  assert.ok(started.isReady, started.said)
  // Each line names its process.
  for (const line of started.said.trim().split('\n')) {
    const { process: name, host, pid } = JSON.parse(line)
    assert.deepEqual([name, host, pid], ['local', hostname(), started.pid], line)
  }
})

test('a secret key that is missing where all services ran before stops their start too', {
  timeout: 120_000,
}, async () => {
  const dataDir = await folder()
  await writeFile(join(dataDir, 'processes.lock'), '')
  await using all = serve(['all', '--distributed'], {
    MILLHAND_DATA_DIR: dataDir,
    MILLHAND_MONGO_URL: 'mongodb://127.0.0.1:1/millhand',
    MILLHAND_KAFKA_BROKERS: '127.0.0.1:1',
  })
  assert.equal(await all.end, 1)
  assert.match(all.output.stderr, /^Millhand can't start: \S+secret-key is missing, /m)
  assert.equal(existsSync(join(dataDir, 'secret-key')), false)
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
    await assert.rejects(ensureBootstrapKeys(dataDir, {}), error => {
      assert.ok(!String(error).includes(live.slice(0, 12)), String(error))
      return assertTold(error, file, /does not hold a live and a test key.*Restore it/)
    })
    assert.equal(await readFile(file, 'utf8'), text)
  }
})

test('what is in the place of a file is told too', async () => {
  const dataDir = await folder()
  for (const name of ['secret-key', 'bootstrap-keys.json']) await mkdir(join(dataDir, name))
  await assert.rejects(keyOf(dataDir), error => assertTold(error, join(dataDir, 'secret-key'), /read/))
  await assert.rejects(ensureBootstrapKeys(dataDir, {}), error =>
    assertTold(error, join(dataDir, 'bootstrap-keys.json'), /read/),
  )
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

test('a store whose lock is no database is told by its file', async () => {
  const dataDir = await folder()
  const file = join(dataDir, 'millhand.db')
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

test('a store that another version wrote is told in one line, and not touched', async () => {
  const dataDir = await folder()
  const file = join(dataDir, 'millhand.db')
  await openSqlite({ file }).close()
  for (const version of [99, -1]) {
    const tool = new DatabaseSync(file)
    tool.exec(`PRAGMA user_version = ${version}`)
    tool.close()
    const shown = startFault(storeFailure(dataDir))
    assert.match(
      shown,
      new RegExp(`^${file} has schema version ${version}; this program knows 2. Start the version .*before$`),
    )
  }
})

test('another error stays as it is', () => {
  const error = new Error('odd')
  assert.equal(storeFault(error, '/data'), error)
})
