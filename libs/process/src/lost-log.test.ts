/** A process whose log can't be written: it works on, and ends when it is told to. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, it } from 'node:test'

const folder = mkdtempSync(join(tmpdir(), 'lost-log-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** A pipe whose reader is there and reads nothing; `leave` makes it go. */
function pipe(name: string) {
  const path = join(folder, name)
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return { writer: openSync(path, 'w'), leave: () => closeSync(reader) }
}

const linux = process.platform === 'linux' ? false : 'needs /dev/full and named pipes: run it on Linux'

describe('a process', { skip: linux, timeout: 120_000 }, () => {
  const stderrs = {
    'on a full disk': () => openSync('/dev/full', 'w'),
    'of a reader that has gone': () => {
      const { writer, leave } = pipe('gone')
      leave()
      return writer
    },
    'of a reader that does not read': () => pipe('full').writer,
  }
  for (const [what, opened] of Object.entries(stderrs)) {
    it(`works and stops with a log ${what}`, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '--eval', MAIN], {
        stdio: ['pipe', 'pipe', opened()],
      })
      const lines = createInterface(child.stdout as NonNullable<typeof child.stdout>)[Symbol.asyncIterator]()
      assert.equal((await lines.next()).value, 'a library writes by itself')
      assert.equal((await lines.next()).value, 'logged')
      child.stdin?.write('ping\n')
      assert.equal((await lines.next()).value, 'pong')
      child.kill('SIGTERM')
      assert.deepEqual(await once(child, 'exit'), [0, null])
    })
  }

  it('stops where standard output has no reader', async () => {
    const { writer, leave } = pipe('no-stdout')
    leave()
    const child = spawn(process.execPath, ['--input-type=module', '--eval', MAIN], {
      stdio: ['pipe', writer, 'pipe'],
    })
    let stderr = ''
    child.stderr?.setEncoding('utf8').on('data', text => {
      stderr += text
    })
    const exit = once(child, 'exit')
    await once(child.stderr as NonNullable<typeof child.stderr>, 'data')
    child.kill('SIGTERM')
    assert.deepEqual(await exit, [0, null])
    assert.doesNotMatch(stderr, /runner.failed/)
  })
})

describe('a process whose stop and exit hang', { skip: linux, timeout: 120_000 }, () => {
  it('is killed', async () => {
    const path = join(folder, 'never-written')
    execFileSync('mkfifo', [path])
    // Opening a pipe that nobody writes blocks a thread, and `process.exit` waits for that.
    const code = `
      import { open } from 'node:fs'
      import { createLog } from ${JSON.stringify(import.meta.resolve('@millhand/telemetry'))}
      import { createRunner } from ${JSON.stringify(new URL('runner.ts', import.meta.url).href)}
      const runner = createRunner({ log: createLog({ level: 'info' }), stopTimeoutMs: 100 })
      runner.handleSignals()
      runner.own({ close: () => new Promise(() => {}) }, 'disk')
      open(${JSON.stringify(path)}, 'r', () => {})
      console.log('started')
      process.exit(await runner.waitForExit())`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const exit = once(child, 'exit')
    await once(child.stdout, 'data')
    child.kill('SIGTERM')
    assert.deepEqual(await exit, [null, 'SIGKILL'])
  })
})

describe('a process whose log is on a disk that stands still', { skip: linux }, () => {
  for (const signals of [1, 2]) {
    it(`is killed after ${signals === 1 ? 'its stop' : 'a second signal'}`, { timeout: 60_000 }, async t => {
      const path = join(folder, `still-${signals}`)
      execFileSync('mkfifo', [path])
      const code = `
        import fs from 'node:fs'
        import { syncBuiltinESMExports } from 'node:module'
        // Opening a pipe that nobody writes blocks a thread, as such a write does.
        fs.write = () => fs.open(${JSON.stringify(path)}, 'r', () => {})
        syncBuiltinESMExports()
        const { createLog } = await import(${JSON.stringify(import.meta.resolve('@millhand/telemetry'))})
        const { createRunner, endProcess } = await import(${JSON.stringify(new URL('index.ts', import.meta.url).href)})
        const log = createLog({ level: 'info' })
        const runner = createRunner({ log })
        runner.handleSignals()
        if (${signals} === 2) runner.own({ close: () => process.kill(process.pid, 'SIGTERM') && new Promise(() => {}) })
        log.info('test.line')
        console.log('started')
        await endProcess(await runner.waitForExit())`
      const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
        stdio: ['ignore', 'pipe', openSync(join(folder, 'log'), 'a')],
      })
      t.after(() => child.kill('SIGKILL'))
      const exit = once(child, 'exit')
      await once(child.stdout as NonNullable<typeof child.stdout>, 'data')
      child.kill('SIGTERM')
      assert.deepEqual(await exit, [null, 'SIGKILL'])
    })
  }
})

/** Logs more than a pipe holds, writes to both streams in every way, then answers each line of its input. */
const MAIN = `
  import { createInterface } from 'node:readline'
  import { createLog, standardOutput } from ${JSON.stringify(import.meta.resolve('@millhand/telemetry'))}
  import { createRunner } from ${JSON.stringify(new URL('runner.ts', import.meta.url).href)}
  const log = createLog({ level: 'info' })
  const runner = createRunner({ log })
  runner.handleSignals()
  for (const stream of [process.stdout, process.stderr]) stream.write('a library writes by itself\\n')
  for (let n = 0; n < 5_000; n++) log.info('test.line', { n })
  await new Promise(resolve => setImmediate(resolve))
  standardOutput().write('logged\\n')
  createInterface(process.stdin).on('line', () => standardOutput().write('pong\\n'))
  process.exit(await runner.waitForExit())`
