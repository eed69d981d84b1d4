/** A start whose store can't be used: it answers 503 and says why, and goes on by itself where that can be. */
import assert from 'node:assert/strict'
import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openSqlite } from '@millhand/store/sqlite'
import { freeAddress } from './processes.fixture.ts'

const root = mkdtempSync(join(tmpdir(), 'store-wait-'))
after(() => {
  spawnSync('umount', ['-l', MOUNT])
  rmSync(root, { recursive: true, force: true })
})

interface Started {
  readonly url: string
  stderr(): string
  /** Its exit code after SIGTERM. */
  stop(): Promise<unknown>
}

async function start(t: TestContext, dataDir: string): Promise<Started> {
  const address = await freeAddress()
  const script = fileURLToPath(new URL('./start.ts', import.meta.url))
  const { PATH = '', HOME = '', TMPDIR = tmpdir() } = process.env
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script], {
    env: {
      ...{ PATH, HOME, TMPDIR, MILLHAND_DATA_DIR: dataDir, MILLHAND_HTTP_ADDR: address },
      ...{ MILLHAND_GRPC_ADDR: '127.0.0.1:0', MILLHAND_METRICS_ADDR: '127.0.0.1:0' },
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  const exit = once(child, 'exit')
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  return {
    url: `http://${address}`,
    stderr: () => stderr,
    async stop() {
      child.kill('SIGTERM')
      return (await exit)[0]
    },
  }
}

/** The first answer that is as wanted. */
async function until<T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean, server: Started): Promise<T> {
  for (const end = performance.now() + 120_000; performance.now() < end; await pause(50)) {
    const answer = await ask().catch(() => undefined)
    if (answer !== undefined && isWanted(answer)) return answer
  }
  return assert.fail(`it did not come to that: ${server.stderr()}`)
}

async function get(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

describe('a start on a damaged store', () => {
  it('is not ready and says what to do, refuses everything, and stops', async t => {
    const [whole, dataDir] = [join(root, 'whole'), join(root, 'damaged')]
    const db = openSqlite({ file: join(whole, 'millhand.db') })
    await db.execute("INSERT INTO event_subscriptions VALUES ('g', 0)")
    // As a process that is killed now would leave it.
    mkdirSync(dataDir)
    for (const name of ['millhand.db', 'millhand.db-wal', 'millhand.db-committed']) {
      copyFileSync(join(whole, name), join(dataDir, name))
    }
    await db.close()
    truncateSync(join(dataDir, 'millhand.db-wal'), 10_000)
    const server = await start(t, dataDir)
    const ready = await until(
      () => get(`${server.url}/readyz`),
      () => true,
      server,
    )
    assert.equal(ready.status, 503)
    assert.match(JSON.parse(ready.text).detail, /store .*millhand\.db is damaged.*restore it from a backup/)
    assert.equal((await get(`${server.url}/healthz`)).status, 200)
    const refused = await get(`${server.url}/v1/tasks`)
    const said = ['retry-after', 'x-should-retry'].map(name => refused.headers.get(name))
    assert.deepEqual([refused.status, ...said], [503, '10', 'true'])
    assert.match(server.stderr(), /"event":"start.waits"/)
    assert.equal(await server.stop(), 0)
  })
})

const MOUNT = join(root, 'small')
mkdirSync(MOUNT)
const mounted: SpawnSyncReturns<Buffer> = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'none', MOUNT])
const canMount = mounted.status === 0 || process.env.CI === 'true'

describe('a disk that is full', {
  skip: canMount ? false : 'needs a disk of its own: run it as root on Linux',
}, () => {
  it('is waited for by a start, refuses what is new, keeps room for what protects, and recovers', async t => {
    assert.equal(mounted.status, 0, String(mounted.stderr))
    const dataDir = join(MOUNT, 'data')
    fill()
    const server = await start(t, dataDir)
    const waiting = await until(
      () => get(`${server.url}/readyz`),
      () => true,
      server,
    )
    assert.equal(waiting.status, 503)
    assert.match(waiting.text, /full, or its quota; make room/)
    makeRoom()
    const isReady = ({ status }: { status: number }) => status === 200
    await until(() => get(`${server.url}/readyz`), isReady, server)

    const { live, test } = JSON.parse(readFileSync(join(dataDir, 'bootstrap-keys.json'), 'utf8'))
    const authorization = (key: string) => ({ authorization: `Bearer ${key}` })
    const call = (method: string, path: string, body?: unknown) =>
      fetch(`${server.url}${path}`, {
        method,
        headers: { ...authorization(test), 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    const create = () => call('POST', '/v1/tasks', { type: 'inference', model: 'digits', input: 'sandbox:slow:600' })
    const created = await create()
    assert.equal(created.status, 201)
    const { id } = (await created.json()) as { id: string }

    fill()
    const refused = await until(create, ({ status }) => status !== 201, server)
    assert.equal(refused.status, 503)
    assert.equal(refused.headers.get('retry-after'), '10')
    assert.equal(((await refused.json()) as { code: string }).code, 'unavailable')
    await until(
      () => get(`${server.url}/readyz`),
      ({ status, text }) => status === 503 && /MiB left/.test(text),
      server,
    )
    assert.equal((await call('GET', `/v1/tasks/${id}`)).status, 200)
    assert.equal((await call('DELETE', `/v1/tasks/${id}`)).status, 200)
    const { data } = (await (await call('GET', '/v1/api_keys')).json()) as { data: { id: string }[] }
    assert.equal((await call('DELETE', `/v1/api_keys/${data[0]?.id}`)).status, 200)
    const listed = () => get(`${server.url}/v1/tasks`, authorization(test))
    await until(listed, ({ status }) => status === 401, server)

    makeRoom()
    await until(() => get(`${server.url}/readyz`), isReady, server)
    const again = await fetch(`${server.url}/v1/tasks`, {
      method: 'POST',
      headers: { ...authorization(live), 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'inference', model: 'digits', input: JSON.stringify(Array(64).fill(0)) }),
    })
    assert.equal(again.status, 201, await again.text())
    assert.equal(await server.stop(), 0)
  })
})

/** Takes all that is left of the disk. */
function fill(): void {
  const file = openSync(join(MOUNT, 'filler'), 'a')
  for (const size of [2 ** 20, 4096]) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size))
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
    }
  }
  closeSync(file)
}

const makeRoom = () => rmSync(join(MOUNT, 'filler'))
