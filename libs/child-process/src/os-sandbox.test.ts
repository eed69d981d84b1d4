/** What a compromised child finds once Node's own lock is broken: the system's wall. */
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createLog } from '@millhand/telemetry'
import type { DeviceAccess } from './devices.ts'
import { chooseSandbox, detectSandbox, type SandboxPlan, wrapCommand } from './os-sandbox.ts'

const plan = await detectSandbox()
const FIXTURE = fileURLToPath(new URL('os-sandbox.fixture.ts', import.meta.url))
const isRoot = process.getuid?.() === 0

/** What a compromised child reaches, of all that it tries. */
async function reachedBehind(
  t: TestContext,
  plan: SandboxPlan,
  writes: boolean,
  devices?: DeviceAccess,
): Promise<string[]> {
  let calls = 0
  const server = createServer(socket => {
    calls++
    socket.destroy()
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const folder = mkdtempSync(join(tmpdir(), 'millhand-wall-'))
  const secret = `${folder}-secret`
  writeFileSync(secret, 'secret', { mode: 0o600 })
  t.after(() => {
    rmSync(folder, { recursive: true })
    rmSync(secret)
  })
  const outside = ['ipc', 'uts'].map(name => readlinkSync(`/proc/self/ns/${name}`)).join(' ')
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', FIXTURE]
  const wrapped = wrapCommand(plan, [...node, ...[process.pid, port, secret, folder, writes, outside].map(String)], {
    folder,
    writes,
    readable: [import.meta.dirname],
    ...(devices && { devices }),
  })
  if (wrapped.uid !== undefined) chownSync(folder, wrapped.uid, wrapped.uid)
  // What the server could hand on, it does.
  const [command = '', ...given] = [...(isRoot ? ['setpriv', '--inh-caps=+chown'] : []), ...wrapped.command]
  const { stdout } = await promisify(execFile)(command, given, { env: { PATH: process.env.PATH } })
  const { tried, open, uid } = JSON.parse(stdout)
  assert.ok(tried > 30)
  if (wrapped.uid !== undefined) assert.equal(uid, wrapped.uid)
  assert.equal(calls > 0, open.includes('a server of the machine'))
  return open
}

/** Under CI nothing is skipped. */
const needs = (tool: string, isThere: boolean) =>
  isThere || process.env.CI === 'true'
    ? false
    : `needs ${tool} that works (Debian: ${tool}): ${plan.missing.join('; ')}`

describe('the wall of the system', { skip: needs('bubblewrap', plan.tool === 'bwrap'), timeout: 120_000 }, () => {
  for (const [what, writes] of [
    ['a kind, which writes nothing', false],
    ['a model, which writes to its folder', true],
  ] as const)
    it(`holds a compromised child of ${what}`, async t => {
      assert.deepEqual([plan.tool, plan.firstUid !== undefined], ['bwrap', isRoot], plan.missing.join())
      assert.deepEqual(await reachedBehind(t, plan, writes), [])
    })

  // Root is root there, with no right in effect, and its processes are counted with all others of root.
  const ofRoot = isRoot ? ['another user', 'rights that it may take', 'more processes than it may have'] : []

  it('holds one that has no user of its own', async t => {
    assert.deepEqual(await reachedBehind(t, { ...plan, firstUid: undefined }, false), ofRoot)
  })

  it('lets one with devices write its own files in /proc, as CUDA does, and none of the kernel', async t => {
    const devices = { env: {}, devices: [], readable: [], groups: [], residentBytes: 0 }
    const own = 'its own files in /proc'
    assert.deepEqual(await reachedBehind(t, plan, true, devices), [own])
    const reached = await reachedBehind(t, { ...plan, firstUid: undefined }, true, devices)
    assert.deepEqual(reached.toSorted(), [own, ...ofRoot].toSorted())
  })
})

const hasSetpriv = process.platform === 'linux' && spawnSync('setpriv', ['--version']).status === 0

describe('a machine with setpriv alone', { skip: needs('util-linux', hasSetpriv), timeout: 120_000 }, () => {
  it('leaves a compromised child no rights, no user that others have, and the same limits', async t => {
    const firstUid = isRoot ? 1_900_000_000 : undefined
    const reached = await reachedBehind(t, { tool: 'setpriv', firstUid, missing: [] }, false)
    const closed = [
      ...[
        'rights of a file',
        'rights that it hands on',
        'rights to come',
        'more files than it may have',
        'a core file',
      ],
      ...(isRoot ? ['rights that it may take', 'another user', 'a group', 'more processes than it may have'] : []),
      ...(isRoot ? ['a secret file', 'the environment of the server', 'the end of the server'] : []),
    ]
    assert.deepEqual(
      closed.filter(way => reached.includes(way)),
      [],
    )
  })
})

describe('a machine without the tools', () => {
  it('says at the start, in one line, what is not closed', async () => {
    const { tool, missing } = await detectSandbox('/nowhere')
    assert.equal(tool, 'none')
    assert.match(missing.join(), /bubblewrap does not work here/)
  })

  it('is told apart from one where the wall is switched off', async () => {
    const lines: string[] = []
    await chooseSandbox('off', createLog({ level: 'info', write: line => lines.push(line), format: 'json' }))
    assert.equal(lines.length, 1)
    assert.match(lines[0] as string, /sandbox\.incomplete.*switched off/)
  })
})

describe('children of two processes on one machine', () => {
  it('are different users', () => {
    const module = JSON.stringify(new URL('os-sandbox.ts', import.meta.url))
    const script = `const { wrapCommand } = await import(${module})
      const plan = { tool: 'bwrap', firstUid: 1_900_000_000, missing: [] }
      console.log(wrapCommand(plan, ['true'], { folder: '/', writes: false, readable: [] }).uid)`
    const uidOf = () => execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    assert.notEqual(uidOf(), uidOf())
  })
})
