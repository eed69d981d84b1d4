import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, getPriority } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { allButFirst, lowerPriority } from './process-priority.ts'

test('a list of cores without the first', () => {
  assert.equal(allButFirst('0-1'), '1-1')
  assert.equal(allButFirst('0-3,8'), '1-3,8')
  assert.equal(allButFirst('2,5-7'), '5-7')
  assert.equal(allButFirst('0'), '')
  assert.equal(allButFirst(''), '')
})

const hasTaskset = (process.env.PATH ?? '').split(':').some(folder => existsSync(join(folder, 'taskset')))
const skip = !hasTaskset || availableParallelism() < 2 ? 'needs taskset (Debian: util-linux) and two cores' : false

test('every thread stands back, and leaves the first core', { skip, timeout: 300_000 }, async t => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log("up")'])
  t.after(() => child.kill('SIGKILL'))
  await new Promise(resolve => child.stdout.once('data', resolve))
  const pid = child.pid as number
  const cores = (of: number | 'self', thread: string | number = of) =>
    /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync(`/proc/${of}/task/${thread}/status`, 'utf8'))?.[1]
  const threads = () => readdirSync(`/proc/${pid}/task`)
  const before = cores(process.pid)

  lowerPriority(pid, { niceness: 7, avoidsFirstCore: false })
  assert.deepEqual([...new Set(threads().map(thread => getPriority(Number(thread))))], [7])
  assert.deepEqual([...new Set(threads().map(thread => cores(pid, thread)))], [before])

  lowerPriority(pid, { niceness: 8, avoidsFirstCore: true })
  while (threads().some(thread => cores(pid, thread) === before)) await sleep(5, undefined, { signal: t.signal })
  const first = Number(/\d+/.exec(before as string)?.[0])
  for (const thread of threads()) assert.notEqual(Number(/\d+/.exec(cores(pid, thread) as string)?.[0]), first)
  assert.equal(cores(process.pid), before)
})

const autogroup = (of: number | 'self') => readFileSync(`/proc/${of}/autogroup`, 'utf8').trim()
const noGroups = existsSync('/proc/self/autogroup') ? false : 'needs a kernel with autogroups (CONFIG_SCHED_AUTOGROUP)'

test('a session of its own stands back as a group, and never the one of this process', {
  skip: noGroups,
  timeout: 300_000,
}, async t => {
  const before = autogroup('self')
  for (const detached of [true, false]) {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log("up")'], { detached })
    t.after(() => child.kill('SIGKILL'))
    await new Promise(resolve => child.stdout.once('data', resolve))
    const pid = child.pid as number
    lowerPriority(pid, { niceness: 7, avoidsFirstCore: false })
    if (!detached) assert.equal(autogroup(pid), before)
    else while (!autogroup(pid).endsWith(' nice 7')) await sleep(5, undefined, { signal: t.signal })
  }
  assert.equal(autogroup('self'), before)
})
