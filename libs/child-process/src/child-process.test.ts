import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate as immediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createLog } from '@millhand/telemetry'
import { type ChildProcess, startChild } from './child-process.ts'
import type { DeviceAccess } from './devices.ts'
import { chooseSandbox } from './os-sandbox.ts'
import { RunnerGone } from './task-runner.ts'

/** What measures a process there. */
const skip = process.platform === 'linux' ? false : 'needs Linux, whose /proc tells what a process uses'

const start = (
  read: () => object | undefined,
  lines: string[],
  script = new URL('./one-message.fixture.ts', import.meta.url),
  readable: readonly string[] = [],
  devices?: DeviceAccess,
) =>
  startChild({
    script: fileURLToPath(script),
    read,
    ahead: 0,
    messageBytes: 1_000,
    memoryLimitBytes: 256 * 2 ** 20,
    lock: { code: { 'libs/child-process': [] }, readable, native: false },
    fileBytes: 0,
    ...(devices && { devices }),
    log: createLog({ level: 'debug', write: line => lines.push(line), format: 'json' }),
  })

it('a process that says what can not be read has crashed, and a fault of the reader is told as that', async () => {
  const unknown: string[] = []
  await assert.rejects(start(() => undefined, unknown).next(), gone(/said what it may not/))
  assert.deepEqual(unknown, [])
  const broken: string[] = []
  const failing = () => {
    throw new TypeError('the reader is broken')
  }
  await assert.rejects(start(failing, broken).next(), gone(/said what it may not/))
  assert.match(broken.join(''), /"level":"error".*worker\.read_failed.*the reader is broken/)
})

describe('a process that is not watched from within', { skip, timeout: 120_000 }, () => {
  const usingMuch = async (t: TestContext, use: (child: ChildProcess<object, object>) => void) => {
    const child = start(() => undefined, [], new URL('./resource-hog.fixture.ts', import.meta.url))
    t.after(() => child.kill())
    use(child)
    return await child.gone
  }

  it('is stopped from outside where it holds more memory than it may', async t => {
    const { reason } = await usingMuch(t, child => child.send({ use: 'memory' }))
    assert.equal(reason, 'out_of_memory')
  })

  it('is stopped where it has devices too, whose drivers no limit of data allows', async t => {
    const devices = { env: {}, devices: [], readable: [], groups: [], residentBytes: 2 ** 20 }
    const hog = new URL('./resource-hog.fixture.ts', import.meta.url)
    const child = start(() => undefined, [], hog, [], devices)
    t.after(() => child.kill())
    child.send({ use: 'much memory' })
    const { reason } = await child.gone
    assert.equal(reason, 'out_of_memory')
    assert.equal(child.stderr(), '', 'no allocation of its own was refused')
  })

  it('is stopped from outside where it computes for longer than it may', async t => {
    const { reason, message } = await usingMuch(t, child => {
      child.limitProcessor(1_000)
      child.send({ use: 'processor' })
    })
    assert.equal(reason, 'processor_limit')
    assert.match(message, /more than 1 s of processor time/)
  })

  it('is what its parent measures until it is gone', { timeout: 60_000 }, async t => {
    const child = start(() => undefined, [], new URL('./resource-hog.fixture.ts', import.meta.url))
    t.after(() => child.kill())
    // It has none while the system puts the program into the new process.
    while (child.memoryBytes() === 0) await immediate()
    await child.kill()
    assert.equal(child.memoryBytes(), 0)
  })
})

const log = createLog({ level: 'error', write: () => {}, format: 'json' })

/** Children get the sandbox that this machine has, until the test is over. */
function withSandbox(t: TestContext) {
  t.after(() => chooseSandbox('off', log))
  return chooseSandbox('auto', log)
}

it('a child that is killed while its sandbox is set up is gone', { timeout: 120_000 }, async t => {
  if ((await withSandbox(t)).tool !== 'bwrap') return t.skip('needs bubblewrap that works (Debian: bubblewrap)')
  for (let turns = 0; turns < 20; turns++) {
    const child = start(() => undefined, [])
    for (let turn = 0; turn < turns; turn++) await new Promise(resolve => setImmediate(resolve))
    await child.kill()
  }
})

it('a child of another user gets its folder and what it is lent by its group, and owns neither', {
  skip: process.getuid?.() !== 0 && 'needs root, which alone can start a process of another user',
}, async t => {
  if ((await withSandbox(t)).firstUid === undefined) return t.skip('needs setpriv (Debian: util-linux)')
  const child = start(() => undefined, [], new URL('./resource-hog.fixture.ts', import.meta.url))
  t.after(() => child.kill())
  const inputs = mkdtempSync(join(tmpdir(), 'millhand-lent-'))
  t.after(() => rmSync(inputs, { recursive: true }))
  writeFileSync(join(inputs, '0'), 'input', { mode: 0o600 })
  const lent = statSync(child.linkFile(join(inputs, '0'), 'input-0'))
  const folder = statSync(child.folder)
  assert.deepEqual([folder.uid, folder.mode & 0o777], [0, 0o750])
  assert.deepEqual([lent.uid, lent.gid, lent.mode & 0o777], [0, folder.gid, 0o640])
  assert.notEqual(folder.gid, 0)
})

it('a child that can have no user of its own is one line of the log', {
  skip: process.getuid?.() !== 0 && 'needs root, which alone can start a process of another user',
}, async t => {
  if ((await withSandbox(t)).firstUid === undefined) return t.skip('needs setpriv (Debian: util-linux)')
  const folder = mkdtempSync(join(tmpdir(), 'millhand-unreadable-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'model'), '', { mode: 0o600 })
  const lines: string[] = []
  for (let times = 0; times < 2; times++) {
    const child = start(() => undefined, lines, undefined, [join(folder, 'model')])
    assert.equal(statSync(child.folder).gid, process.getgid?.())
    await child.kill()
  }
  assert.equal(lines.length, 1)
  assert.match(lines[0] ?? '', /"level":"warn".*sandbox\.no_own_user.*one-message\.fixture/)
})

const gone = (message: RegExp) => (error: unknown) =>
  error instanceof RunnerGone && error.reason === 'crashed' && message.test(error.message)
