/** What a compromised child finds once Node's own lock is broken: the system's wall. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createLog } from '@millhand/telemetry'
import { chooseSandbox, detectSandbox, wrapCommand } from './os-sandbox.ts'

const plan = detectSandbox()
const skip =
  plan.tool === 'bwrap' ? false : `needs bubblewrap that works (apt-get install bubblewrap): ${plan.missing.join('; ')}`
const FIXTURE = fileURLToPath(new URL('os-sandbox.fixture.ts', import.meta.url))

describe('the wall of the system', { skip, timeout: 120_000 }, () => {
  for (const [what, writes] of [
    ['a kind, which writes nothing', false],
    ['a model, which writes to its folder', true],
  ] as const)
    it(`holds a compromised child of ${what}`, async t => {
      let reached = 0
      const server = createServer(socket => {
        reached++
        socket.destroy()
      }).listen(0, '127.0.0.1')
      t.after(() => server.close())
      await once(server, 'listening')
      const { port } = server.address() as { port: number }
      const folder = mkdtempSync(join(tmpdir(), 'millhand-wall-'))
      const secret = join(tmpdir(), `millhand-secret-${process.pid}-${writes}`)
      writeFileSync(secret, 'secret')
      t.after(() => {
        rmSync(folder, { recursive: true })
        rmSync(secret)
      })
      const node = [process.execPath, '--disable-warning=ExperimentalWarning', FIXTURE]
      const wrapped = wrapCommand(plan, [...node, ...[process.pid, port, secret, folder].map(String)], {
        folder,
        writes,
        readable: [import.meta.dirname],
      })
      if (wrapped.uid !== undefined) {
        chownSync(folder, -1, wrapped.uid)
        chmodSync(folder, 0o770)
      }
      const [command = '', ...given] = wrapped.command
      const { stdout } = await promisify(execFile)(command, given, { env: { PATH: process.env.PATH } })
      const { tried, open, uid } = JSON.parse(stdout)
      assert.ok(tried > 30)
      assert.deepEqual(open, [])
      assert.equal(reached, 0)
      if (process.getuid?.() === 0) assert.notEqual(uid, 0)
    })
})

describe('a machine without the tools', () => {
  it('says at the start, in one line, what is not closed', () => {
    const { tool, missing } = detectSandbox('/nowhere')
    assert.equal(tool, 'none')
    assert.match(missing.join(), /bubblewrap does not work here/)
  })

  it('is told apart from one where the wall is switched off', () => {
    const lines: string[] = []
    chooseSandbox('off', createLog({ level: 'info', write: line => lines.push(line), format: 'json' }))
    assert.equal(lines.length, 1)
    assert.match(lines[0] as string, /sandbox\.incomplete.*switched off/)
  })
})
