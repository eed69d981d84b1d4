import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { childrenOf, endAllOf, treeUsageOf, usageOf } from './process-usage.ts'
import type { RunnerGone } from './task-runner.ts'
import { watchUsage } from './usage-watch.ts'

const skip = process.platform === 'linux' ? false : 'needs Linux, whose /proc tells what a process uses'

/** A shell that waits for a process that it has started, which runs this code: nearly all is used by the latter. */
function startFork(t: TestContext, code: string): ChildProcess {
  const shell = spawn('sh', ['-c', '"$0" -e "$1" & wait', process.execPath, code], { detached: true, stdio: 'ignore' })
  t.after(() => {
    try {
      process.kill(-(shell.pid as number), 'SIGKILL')
    } catch {
      // All of them have ended.
    }
  })
  return shell
}

describe('what a process hands on to others counts as its own', { skip }, () => {
  it('memory', async t => {
    const { pid } = startFork(t, 'globalThis.kept = Buffer.alloc(200e6, 1); setInterval(() => {}, 1e6)')
    const { resolve, promise } = Promise.withResolvers<RunnerGone>()
    const watch = watchUsage({ pid: () => pid, memoryLimitBytes: 200e6, stop: resolve })
    // The watch alone keeps no process alive.
    using _ = { [Symbol.dispose]: stayAlive() }
    assert.equal((await promise).reason, 'out_of_memory')
    assert.ok((usageOf(pid as number)?.memoryBytes ?? Infinity) < 50e6)
    assert.ok(watch.usage().memoryBytes > 200e6)
    watch.close()
    assert.equal(watch.usage().memoryBytes, 0)
  })

  it('processor time', async t => {
    const { pid } = startFork(t, 'for (;;);')
    const { resolve, promise } = Promise.withResolvers<RunnerGone>()
    const watch = watchUsage({ pid: () => pid, memoryLimitBytes: Infinity, stop: resolve })
    using _ = { [Symbol.dispose]: stayAlive() }
    watch.limitProcessor(300)
    assert.equal((await promise).reason, 'processor_limit')
    watch.close()
  })
})

describe('a process that may use so many cores', { skip }, () => {
  it('is stopped where it uses more of them, also while it has nothing to do', async t => {
    const { pid } = startFork(t, 'for (;;);')
    const { resolve, promise } = Promise.withResolvers<RunnerGone>()
    const watch = watchUsage({ pid: () => pid, memoryLimitBytes: Infinity, stop: resolve })
    using _ = { [Symbol.dispose]: stayAlive() }
    watch.limitCores(() => 0, 300)
    const { reason, message } = await promise
    assert.equal(reason, 'processor_limit')
    assert.match(message, /more processor time than the threads/)
    watch.close()
  })

  it('is left alone where it uses no more than those', async t => {
    const { pid } = startFork(t, 'for (;;);')
    const stops: RunnerGone[] = []
    const watch = watchUsage({ pid: () => pid, memoryLimitBytes: Infinity, stop: why => stops.push(why) })
    using _ = { [Symbol.dispose]: stayAlive() }
    watch.limitCores(() => 2, 300)
    const { processorMs } = watch.usage()
    while (watch.usage().processorMs - processorMs < 1_500) await pause(20)
    assert.deepEqual(stops, [])
    watch.close()
  })
})

it('a reading that fails counts nothing, and the next one not the whole life', async t => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const hour = 3_600_000
  let now: () => number = () => hour
  const stops: RunnerGone[] = []
  const read = () => ({ memoryBytes: 1, processorMs: now() })
  const watch = watchUsage({ pid: () => 1, memoryLimitBytes: 2, stop: why => stops.push(why), read })
  watch.limitProcessor(1_000)
  watch.limitCores(() => 0)
  const tick = (next: () => number) => {
    now = next
    t.mock.timers.tick(200)
  }
  tick(() => {
    throw Object.assign(new Error('too many open files'), { code: 'EMFILE' })
  })
  assert.deepEqual(watch.usage(), { memoryBytes: 1, processorMs: hour })
  const release = watch.limitProcessor(1_000)
  tick(() => hour + 900)
  assert.equal(stops.length, 0)
  release()
  tick(() => hour + 11_000)
  assert.equal(stops[0]?.reason, 'processor_limit')
  watch.close()
})

it('memory that is asked for at each run is read once a second, and is none once the process is gone', t => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let [reads, time] = [0, 0]
  let pid: number | undefined = 1
  const watch = watchUsage({
    pid: () => pid,
    memoryLimitBytes: Infinity,
    stop: () => {},
    read: () => ({ memoryBytes: ++reads, processorMs: 0 }),
    now: () => time,
  })
  for (time = 0; time < 3_000; time += 10) assert.equal(watch.memoryBytes(), 1 + Math.floor(time / 1_000))
  assert.equal(reads, 3)
  t.mock.timers.tick(200)
  assert.equal(watch.memoryBytes(), 4, 'what the watch has read itself')
  assert.equal(reads, 4)
  pid = undefined
  assert.equal(watch.memoryBytes(), 0)
  watch.close()
})

it('a process that nothing else holds to its memory is looked at four times as often', t => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  for (const [isOnlyBound, readings] of [
    [false, 5],
    [true, 20],
  ] as const) {
    let count = 0
    const read = () => ({ memoryBytes: ++count, processorMs: 0 })
    const watch = watchUsage({ pid: () => 1, memoryLimitBytes: 100, isOnlyBound, stop: () => {}, read })
    t.mock.timers.tick(1_000)
    assert.equal(count, readings)
    watch.close()
  }
})

it('what can not be read for want of file descriptors is not taken for gone', { skip }, () => {
  const script = `
    const { childrenOf, treeUsageOf } = await import(${JSON.stringify(new URL('process-usage.ts', import.meta.url))})
    const { openSync } = await import('node:fs')
    treeUsageOf(process.pid)
    try {
      for (;;) openSync('/dev/null')
    } catch {}
    const codeOf = read => {
      try {
        return read(process.pid)
      } catch ({ code }) {
        return code
      }
    }
    console.log(JSON.stringify([treeUsageOf, childrenOf].map(codeOf)))`
  const limited = 'ulimit -n 64; exec "$0" --input-type=module -e "$1"'
  const { stdout } = spawnSync('sh', ['-c', limited, process.execPath, script], { encoding: 'utf8' })
  assert.equal(stdout.trim(), '["EMFILE","EMFILE"]')
})

it('the children of each thread of a process are known, and none of one that is not there', { skip }, async t => {
  const shell = startFork(t, 'setInterval(() => {}, 1e6)')
  while (childrenOf(shell.pid as number).length === 0) await new Promise(setImmediate)
  assert.ok(childrenOf(process.pid).includes(shell.pid as number))
  assert.deepEqual(childrenOf(2 ** 30), [])
  assert.equal(treeUsageOf(2 ** 30), undefined)
})

const isRoot = process.getuid?.() === 0

it('the processes of a user are ended, and no others', { skip: skip || (isRoot ? false : 'needs root') }, async t => {
  const uid = 1_800_000_000 + process.pid
  // By its path: another user may not search the folders in which this one finds programs.
  const wait = (id: number) => spawn('/bin/sh', ['-c', 'read -r _'], { uid: id, gid: id, cwd: '/', stdio: 'pipe' })
  const own = wait(uid)
  const other = wait(uid + 1)
  t.after(() => other.kill('SIGKILL'))
  await Promise.all([once(own, 'spawn'), once(other, 'spawn')])
  endAllOf(uid)
  assert.deepEqual(await once(own, 'exit'), [null, 'SIGKILL'])
  assert.equal(other.exitCode ?? other.signalCode, null)
})

function stayAlive() {
  const timer = setInterval(() => {}, 1_000)
  return () => clearInterval(timer)
}
