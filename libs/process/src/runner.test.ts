import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { createLog } from '@millhand/telemetry'
import { manualClock } from './clock.ts'
import { createRunner } from './runner.ts'

describe('runner', () => {
  it('stops in reverse order, each after the one before it has stopped', async () => {
    const { runner, did, closing } = open()
    runner.own(closing('store'))
    runner.run('loop', signal => untilAborted(signal).finally(() => did.push('loop')))
    runner.own(closing('http'))
    await runner.stop('test')
    assert.deepEqual(did, ['http closing', 'http closed', 'loop', 'store closing', 'store closed'])
    assert.equal(await runner.waitForExit(), 0)
  })

  it('says at once that it stops, and lets a loop go on until its turn', async () => {
    const { runner } = open()
    let loop: AbortSignal | undefined
    runner.run('loop', signal => {
      loop = signal
      return untilAborted(signal)
    })
    const http = Promise.withResolvers<void>()
    runner.own({ close: () => http.promise })
    const stopped = runner.stop('test')
    assert.deepEqual([runner.signal.aborted, loop?.aborted], [true, false])
    http.resolve()
    await stopped
    assert.equal(loop?.aborted, true)
  })

  it('stops once, however often it is told', async () => {
    const { runner, did, closing } = open()
    runner.own(closing('store'))
    await Promise.all([runner.stop('one'), runner.stop('two')])
    await runner.stop('three')
    assert.deepEqual(did, ['store closing', 'store closed'])
  })

  it('gives up after its limit and names what did not stop', async () => {
    const { runner, clock, events } = open()
    runner.own({ close: () => assert.fail('it must not be closed under something that still runs') }, 'store')
    runner.run('deaf loop', () => new Promise(() => {}))
    runner.own({ close: () => {} }, 'http')
    const stopped = runner.stop('test')
    await clock.advance(5_000)
    await stopped
    assert.deepEqual(events('runner.stop_timeout'), [{ limit_ms: 5_000, still_running: ['store', 'deaf loop'] }])
    assert.equal(await runner.waitForExit(), 1)
  })

  it('stops when a loop fails', async () => {
    const { runner, did, closing, events } = open()
    runner.own(closing('store'))
    runner.run('relay', () => Promise.reject(new Error('broken')))
    assert.equal(await runner.waitForExit(), 1)
    assert.deepEqual(did, ['store closing', 'store closed'])
    const [failed] = events('runner.failed')
    assert.equal(failed.reason, 'relay failed')
    assert.equal(failed.error.message, 'broken')
  })

  it('goes on when a loop ends', async () => {
    const { runner } = open()
    runner.run('migration', async () => {})
    await new Promise(resolve => setImmediate(resolve))
    assert.equal(runner.signal.aborted, false)
    await runner.stop('test')
  })

  it('does not mind a loop that rejects because it is stopped', async () => {
    const { runner } = open()
    runner.run('loop', async signal => {
      await untilAborted(signal)
      signal.throwIfAborted()
    })
    await runner.stop('test')
    assert.equal(await runner.waitForExit(), 0)
  })

  it('closes the rest when one does not close, and says so', async () => {
    const { runner, did, closing, events } = open()
    runner.own(closing('store'))
    runner.own({ close: () => Promise.reject(new Error('stuck')) }, 'http')
    await runner.stop('test')
    assert.deepEqual(did, ['store closing', 'store closed'])
    assert.equal(events('runner.close_failed')[0].name, 'http')
    assert.equal(await runner.waitForExit(), 1)
  })

  it('closes what it is given while it stops, and after', async () => {
    const { runner, did, closing } = open()
    runner.own({ close: () => void runner.own(closing('opened meanwhile')) })
    await runner.stop('test')
    assert.deepEqual(did, ['opened meanwhile closing', 'opened meanwhile closed'])
    runner.own(closing('late'))
    assert.deepEqual(did.slice(2), ['late closing'])
  })
})

describe('a process', { timeout: 120_000 }, () => {
  it('stops on the first SIGTERM', async () => {
    const child = start(`runner.own({ close: () => console.log('closed') }, 'store')`)
    await child.line('ready')
    child.kill('SIGTERM')
    await child.line('closed')
    assert.deepEqual(await child.exit, [0, null])
  })

  const drained = `runner.onDrain(() => console.log('draining'));
    runner.own({ close: () => console.log('closed') }, 'store')`

  it('drains before anything is closed, where it has a drain', async () => {
    const child = start(drained, { drainMs: 1 })
    await child.line('ready')
    child.kill('SIGTERM')
    await child.line('draining')
    await child.line('closed')
    assert.deepEqual(await child.exit, [0, null])
  })

  it('serves on while it drains, until it fails or hears a second signal', async () => {
    const failing = start(`${drained}; process.stdin.once('data', () => runner.stop('failed'))`, { drainMs: 3_600_000 })
    await failing.line('ready')
    failing.kill('SIGTERM')
    await failing.line('draining')
    failing.write('fail')
    await failing.line('closed')
    assert.deepEqual(await failing.exit, [0, null])
    const hurried = start(drained, { drainMs: 3_600_000 })
    await hurried.line('ready')
    hurried.kill('SIGTERM')
    await hurried.line('draining')
    hurried.kill('SIGTERM')
    assert.deepEqual(await hurried.exit, [143, null])
  })

  it('exits at once on the second signal', async () => {
    const child = start(`runner.own({ close: () => (console.log('closing'), new Promise(() => {})) }, 'store')`)
    await child.line('ready')
    child.kill('SIGTERM')
    await child.line('closing')
    child.kill('SIGINT')
    assert.deepEqual(await child.exit, [130, null])
  })

  for (const [what, code] of [
    ['exception', `setImmediate(() => { throw new Error('broken') })`],
    ['rejection', `void Promise.reject(new Error('broken'))`],
  ] as const) {
    it(`stops when nobody catches an ${what}`, async () => {
      const child = start(`runner.own({ close: () => console.log('closed') }, 'store'); ${code}`)
      await child.line('closed')
      assert.deepEqual(await child.exit, [1, null])
      assert.match(child.stderr(), /"event":"runner.failed","reason":"an error was not caught".*broken/)
    })
  }
})

function open() {
  const lines: string[] = []
  const did: string[] = []
  const clock = manualClock()
  const log = createLog({ level: 'info', write: line => lines.push(line) })
  const runner = createRunner({ log, clock, stopTimeoutMs: 5_000 })
  const closing = (name: string) => ({
    async close() {
      did.push(`${name} closing`)
      await Promise.resolve()
      did.push(`${name} closed`)
    },
  })
  // biome-ignore lint/suspicious/noExplicitAny: each event has its own fields
  const events = (event: string): any[] =>
    lines
      .map(line => JSON.parse(line))
      .filter(line => line.event === event)
      .map(({ time: _time, level: _level, event: _event, ...fields }) => fields)
  return { runner, clock, did, closing, events }
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

/** Another Node process with a runner; `code` sets it up, then it prints `ready`. */
function start(code: string, { drainMs = 0 } = {}) {
  const main = `
    import { createLog } from ${JSON.stringify(import.meta.resolve('@millhand/telemetry'))}
    import { createRunner } from ${JSON.stringify(new URL('runner.ts', import.meta.url).href)}
    const runner = createRunner({ log: createLog({ level: 'info' }), drainMs: ${drainMs} })
    runner.handleSignals()
    const open = setInterval(() => {}, 60_000)
    ${code}
    console.log('ready')
    process.exit(await runner.waitForExit())`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', main], { stdio: 'pipe' })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', chunk => {
    stderr += chunk
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    exit: once(child, 'exit'),
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    write: (text: string) => child.stdin.write(text),
    stderr: () => stderr,
    async line(expected: string) {
      for (let next = await lines.next(); !next.done; next = await lines.next()) if (next.value === expected) return
      assert.fail(`the process ended before it printed ${expected}: ${stderr}`)
    },
  }
}
