import assert from 'node:assert/strict'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { mistyped, newKey } from './keys.ts'
import { busiest, descendants, isAlive } from './processes.ts'
import { connection, rawHead } from './raw-http.ts'
import { type Server, StartFailure, startServer, temporaryFolder } from './server.ts'
import { clear, create, digit, ended, FOREVER_MS, ownModels, reaches, run, spin } from './tasks.ts'

const own = { MILLHAND_MODELS_DIR: ownModels }

test('an orderly stop answers who waits, refuses who comes, ends with code 0 and leaves no child', async () => {
  await using server = await startServer({ env: own })
  const waiting = server.request('POST', '/v1/tasks', { json: spin(FOREVER_MS), headers: { prefer: 'wait=60' } })
  await running(server)
  const children = descendants(server.pid)
  const stopped = server.stop()
  const answer = await waiting
  assert.equal(answer.status, 201)
  assert.match(answer.body.status, /^(queued|running)$/)
  assert.deepEqual(await stopped, { code: 0, signal: null })
  await assert.rejects(server.request('GET', '/healthz'))
  for (const { pid } of children) assert.ok(!isAlive(pid), `child ${pid} is left`)

  await server.restart()
  const task = await reaches(server, answer.body.id, 'running')
  assert.equal(task.id, answer.body.id)
  await clear(server, task.id)
})

test('a request that never comes to its end leaves a stop the time to hand runs back', async () => {
  await using server = await startServer({ env: own })
  const { id } = await create(server, spin(FOREVER_MS))
  await running(server)
  const stuck = await connection(server.url)
  stuck.write(`${rawHead('POST', '/v1/tasks', server, ['Content-Length: 500'])}{"type":`)
  await server.request('GET', '/healthz')
  assert.deepEqual(await server.stop(), { code: 0, signal: null })
  stuck.destroy()
  assert.ok(!server.logs().stderr.includes('runner.stop_timeout'))
  await server.restart()
  await clear(server, id)
})

test('tasks outlive a restart, byte for byte, and queued ones run after it', async () => {
  await using server = await startServer({ env: own })
  const done = await run(server, digit(5))
  const blocker = await create(server, spin(FOREVER_MS))
  await reaches(server, blocker.id, 'running')
  const queued = await create(server, spin(10))
  await server.stop()
  await server.restart()
  assert.deepEqual((await server.request('GET', `/v1/tasks/${done.id}`)).body, done)
  await clear(server, blocker.id)
  assert.equal((await ended(server, queued.id)).status, 'succeeded')
})

test('children end with a server that is killed', async () => {
  await using server = await startServer({ env: own })
  await create(server, spin(FOREVER_MS))
  await running(server)
  await busiest(server.pid)
  const children = descendants(server.pid)
  await server.kill()
  const deadline = performance.now() + 300_000
  while (children.some(({ pid }) => isAlive(pid)))
    assert.ok(performance.now() < deadline, 'a child outlives its server')
})

test('without keys in its environment a first start makes them, for their owner alone', async () => {
  const made = { MILLHAND_BOOTSTRAP_KEY: undefined, MILLHAND_BOOTSTRAP_TEST_KEY: undefined }
  await using server = await startServer({ env: made })
  const file = join(server.dataDir, 'bootstrap-keys.json')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const text = readFileSync(file, 'utf8')
  const [live] = /mh_live_[0-9A-Za-z]{36}/.exec(text) ?? []
  const [testing] = /mh_test_[0-9A-Za-z]{36}/.exec(text) ?? []
  assert.ok(live && testing, text)
  for (const key of [live, testing]) {
    const answer = await server.request('GET', '/v1/tasks', { headers: { authorization: `Bearer ${key}` } })
    assert.equal(answer.status, 200)
    const { stdout, stderr } = server.logs()
    assert.ok(!stdout.includes(key) && !stderr.includes(key), 'a key is in the log')
  }
  await server.stop()
  await server.restart()
  assert.equal(readFileSync(file, 'utf8'), text, 'a second start keeps the keys')
})

test('a setting that is wrong stops the start with a line that names it', async () => {
  const table: Record<string, string> = {
    MILLHAND_HTTP_ADDR: 'nonsense',
    MILLHAND_LOG_LEVEL: 'loud',
    MILLHAND_BOOTSTRAP_KEY: mistyped(newKey('live')),
    MILLHAND_BOOTSTRAP_TEST_KEY: newKey('live'),
    MILLHAND_MODELS_DIR: '/nowhere/at/all',
    MILLHAND_DATA_DIR: '/proc/nowhere',
  }
  for (const [name, value] of Object.entries(table)) {
    const failure = await refusal({ env: { [name]: value } })
    assert.match(failure.stderr, new RegExp(name), `${name}: ${failure.stderr}`)
    assert.ok(!/^\s+at /m.test(failure.stderr), `${name}: a stack trace is no clear line\n${failure.stderr}`)
    if (name.includes('KEY')) assert.ok(!failure.stderr.includes(value), 'a key is not told back')
  }
})

test('a key file of the data folder that is broken stops the start with one line that names it', async () => {
  const own = { MILLHAND_BOOTSTRAP_KEY: undefined, MILLHAND_BOOTSTRAP_TEST_KEY: undefined }
  for (const [name, content] of [
    ['secret-key', 'short'],
    ['bootstrap-keys.json', '{"live":"mh_live_'],
  ] as const) {
    const dataDir = temporaryFolder('millhand-e2e-')
    const file = join(dataDir, name)
    writeFileSync(file, content)
    const { stderr } = await refusal({ dataDir, env: own })
    const [line = '', ...more] = linesForPeople(stderr)
    assert.ok(line.includes(file) && more.length === 0, stderr)
    assert.match(line, /[Rr]estore/)
    assert.equal(readFileSync(file, 'utf8'), content)
  }
})

test('a data folder that nothing can be written to stops the start with one line that names it', async t => {
  const { stderr } = await refusal({ env: { MILLHAND_DATA_DIR: unwritable(t) } })
  const [line = '', ...more] = linesForPeople(stderr)
  assert.ok(line.includes('MILLHAND_DATA_DIR') && more.length === 0, stderr)
})

test('a second server on the same data folder is refused, and the first goes on', async () => {
  await using server = await startServer()
  const failure = await refusal({ dataDir: server.dataDir, env: { MILLHAND_BOOTSTRAP_KEY: server.key } })
  assert.match(failure.stderr, /in use|another|already/i)
  assert.equal((await run(server, digit(2))).output.digit, 2)
})

test('a port that is taken stops the start and is named', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await new Promise(resolve => taken.once('listening', resolve))
  const { port } = taken.address() as { port: number }
  const failure = await refusal({ env: { MILLHAND_HTTP_ADDR: `127.0.0.1:${port}` } })
  assert.match(failure.stderr, new RegExp(String(port)))
  assert.match(failure.stderr, /in use|taken|EADDRINUSE/i)
  taken.close()
})

test('a data folder is made where there is none, for its owner alone', async () => {
  const parent = temporaryFolder('millhand-e2e-')
  const dataDir = join(parent, 'new', 'folder')
  await using server = await startServer({ dataDir })
  await run(server, digit(1))
  assert.equal(statSync(dataDir).mode & 0o777, 0o700)
})

test('no key and no input is ever written to the log, nor a key to the data folder', async () => {
  await using server = await startServer({ env: { ...own, MILLHAND_LOG_LEVEL: 'debug' } })
  const mark = 'c4n4ry'
  const wrong = mistyped(server.key)
  await run(server, digit(6, { metadata: { note: 'a label' } }))
  const input = JSON.stringify({ [mark]: { dtype: 'float32', shape: [1], data: [1] } })
  await server.request('POST', '/v1/tasks', { json: { type: 'inference', model: 'double', input } })
  await server.request('POST', '/v1/tasks', { json: { type: 'inference', model: mark, input: mark, colour: mark } })
  await server.request('POST', '/v1/tasks', {
    raw: `{"input":"${mark}`,
    headers: { 'content-type': 'application/json' },
  })
  await server.request('GET', '/v1/tasks', { headers: { authorization: `Bearer ${wrong}` } })
  const shape = { dtype: 'int64', shape: [1], data: [-424_242] }
  await run(server, { type: 'inference', model: 'hungry', input: JSON.stringify({ shape }) })
  await server.stop()
  const { stdout, stderr } = server.logs()
  const written = stdout + stderr
  assert.ok(stderr.length > 0, 'there is a log')
  for (const secret of [server.key, server.testKey, wrong, mark, '-424242', '"shape":[1]'])
    assert.ok(!written.includes(secret), `the log holds ${secret}: ${lineWith(written, secret)}`)
  for (const file of filesBelow(server.dataDir)) {
    const contents = readFileSync(file, 'latin1')
    assert.ok(!contents.includes(server.key) && !contents.includes(server.testKey), `${file} holds a key`)
  }
})

test('standard output is the ready line and nothing else; the log is JSON, one line an event', async () => {
  await using server = await startServer()
  await run(server, digit(1))
  await server.stop()
  const { stdout, stderr } = server.logs()
  const { ready, http } = JSON.parse(stdout)
  assert.deepEqual({ ready, http }, { ready: true, http: server.url })
  for (const line of stderr.split('\n').filter(line => line !== ''))
    assert.equal(typeof JSON.parse(line), 'object', line)
})

/** What it wrote besides its log. */
const linesForPeople = (stderr: string) => stderr.split('\n').filter(line => line !== '' && !line.startsWith('{'))

/** Root may write anywhere but to what the kernel makes up. */
function unwritable(t: TestContext): string {
  if (process.getuid?.() === 0) return '/proc'
  const folder = temporaryFolder('millhand-e2e-')
  chmodSync(folder, 0o500)
  t.after(() => chmodSync(folder, 0o700))
  return folder
}

async function refusal(options: Parameters<typeof startServer>[0]): Promise<StartFailure> {
  const outcome = await startServer(options).then(
    server => server,
    (error: unknown) => error,
  )
  if (outcome instanceof StartFailure) {
    assert.ok(outcome.exit.code !== 0 && outcome.exit.code !== null, `it ended with ${JSON.stringify(outcome.exit)}`)
    return outcome
  }
  if (outcome instanceof Error) throw outcome
  await (outcome as Server).kill()
  throw new assert.AssertionError({ message: `it started with ${JSON.stringify(options)}` })
}

/** Waits until some task runs. */
async function running(server: Server): Promise<void> {
  const deadline = performance.now() + 300_000
  for (;;) {
    const { data } = (await server.request('GET', '/v1/tasks?status=running')).body
    if (data.length > 0) return
    assert.ok(performance.now() < deadline, 'no task runs')
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
}

function lineWith(text: string, part: string): string | undefined {
  return text.split('\n').find(line => line.includes(part))
}
