/** What a model may do to the service: nothing. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { LoadFailed, RunnerGone } from '@millhand/child-process'
import { createLog } from '@millhand/telemetry'
import { ask, hostileModel, item, load, shippedModel, start, tensorModel, testRunner } from './models.fixture.ts'

const number = (value: number) => JSON.stringify({ x: { dtype: 'float32', shape: [1], data: [value] } })
const digits = shippedModel('digits')

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millhand-limits-'))
})
after(() => rm(folder, { recursive: true }))

const gone = (reason: string) => (error: unknown) => error instanceof RunnerGone && error.reason === reason
const failed = (code: string, says: RegExp) => (error: unknown) =>
  error instanceof LoadFailed && error.code === code && says.test(error.message)

/** Children of this process that run a model, by process id. */
function children(parent = process.pid): number[] {
  const pids = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  return pids.filter(pid => commandLine(pid).includes('onnx/child.ts'))
}

/** The one child that runs a model. One that was only now started may have no command line yet. */
async function onlyChild(): Promise<number> {
  for (const limit = performance.now() + 300_000; performance.now() < limit; ) {
    await new Promise(resolve => setImmediate(resolve))
    const [pid] = children()
    if (pid !== undefined) return pid
  }
  throw new Error('no child runs a model')
}

/** Empty where the process has ended. */
function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

test('broken files are refused by name of the fault, and leave no process', async () => {
  const whole = readFileSync(digits.files.model as string)
  const files: [name: string, bytes: Uint8Array, says: RegExp][] = [
    ['empty', Buffer.alloc(0), /no graph/],
    ['half', whole.subarray(0, whole.length / 2), /cut off/],
    ['text', Buffer.from('This is no model.'), /broken|cut off/],
    ['noise', whole.map((byte, index) => (index % 7 === 3 ? byte ^ 0x55 : byte)), /./],
  ]
  for (const [name, bytes, says] of files) {
    const file = join(folder, `${name}.onnx`)
    await writeFile(file, bytes)
    await assert.rejects(start(tensorModel(file)), failed('model_broken', says), name)
  }
  await assert.rejects(start(tensorModel(join(folder, 'missing.onnx'))), failed('model_broken', /no such file/))
  assert.deepEqual(children(), [])
})

test('what would open other files, or no version of ONNX Runtime knows, is refused', async () => {
  const refused: [name: string, says: RegExp][] = [
    ['external-data', /external data/],
    ['external-data-inside', /external data/],
    ['ep-context', /EPContext/],
    ['wrong-opset', /^ONNX Runtime only .*opset/],
    ['unknown-operator', /Frobnicate/],
  ]
  for (const [name, says] of refused) {
    await assert.rejects(start(hostileModel(name)), failed('model_broken', says), name)
  }
})

test('a run that asks for more memory than allowed ends as out of memory', async t => {
  const model = await load(t, hostileModel('memory-bomb'))
  const small = (await model.run([item(number(1000))])).items[0]
  assert.equal(small?.ok, true)
  await assert.rejects(model.run([item(number(2 ** 31))]), gone('out_of_memory'))
  assert.equal((await model.gone).reason, 'out_of_memory')
})

test('the system itself refuses a child more memory, before the watchdog looks', async t => {
  await load(t, digits, { memoryLimitBytes: 512 * 2 ** 20 })
  const pid = await onlyChild()
  const limits = readFileSync(`/proc/${pid}/limits`, 'utf8')
  // What is set aside and never touched counts too: hence the room above the limit of what is resident.
  assert.equal(Number(/^Max data size +(\d+)/m.exec(limits)?.[1]), (512 + 768) * 2 ** 20)
  assert.match(limits, /^Max core file size +0 /m)
})

test('a run whose memory grows bit by bit ends as out of memory', async t => {
  const model = await load(t, hostileModel('memory-creep'))
  await assert.rejects(model.run([item(number(1))]), gone('out_of_memory'))
})

test('a model that is too large for its limit fails to load as out of memory', async () => {
  const tight = { memoryLimitBytes: 120 * 2 ** 20 }
  await assert.rejects(start(shippedModel('pp-ocr-v4'), tight), failed('out_of_memory', /more memory/))
})

test('a child that crashes is told from one that was stopped', async t => {
  const model = await load(t, hostileModel('endless-loop'))
  const pid = await onlyChild()
  const crashed = assert.rejects(model.run([item(number(1))]), gone('crashed'))
  await busy(pid)
  process.kill(pid, 'SIGSEGV')
  await crashed
  await assert.rejects(model.run([item(number(1))]), gone('crashed'))
})

/** Resolves when the process has used processor time: it is inside the run. */
async function busy(pid: number): Promise<void> {
  const ticks = () => Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[13])
  const start = ticks()
  while (ticks() < start + 20) await new Promise(resolve => setImmediate(resolve))
}

test('a run without end is stopped in its middle, and its process is gone', async t => {
  const model = await load(t, hostileModel('endless-loop'))
  const pid = await onlyChild()
  const run = model.run([item(number(1))])
  const stopped = assert.rejects(run, gone('killed'))
  await busy(pid)
  await model.kill()
  await stopped
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
})

test('a run without end does not outlive a parent that was killed', async () => {
  const fixture = fileURLToPath(new URL('./models.fixture.ts', import.meta.url))
  const script = `
    const { hostileModel, item, start } = await import(${JSON.stringify(fixture)})
    const model = await start(hostileModel('endless-loop'))
    void model.run([item(${JSON.stringify(number(1))})])
    process.stdout.write('running')`
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(parent.stdout, 'data')
  const [pid] = children(parent.pid) as [number]
  await busy(pid)
  const began = performance.now()
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  while (isAlive(pid)) {
    assert.ok(performance.now() - began < 300_000, 'the child lives on')
    await new Promise(resolve => setImmediate(resolve))
  }
})

/** A zombie that init has not reaped counts as dead. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

test('a load that a busy machine makes long goes on, and is never the fault of the model', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const slow = load(t, digits)
  t.mock.timers.tick(299_999)
  await ask(await slow, digits.exampleInput as string)
  await (await slow).kill()
  const late = start(digits)
  t.mock.timers.tick(300_000)
  await assert.rejects(late, gone('not_started'))
  assert.deepEqual(children(), [])
})

test('loading stops when it is told to, and is no fault of the model', async () => {
  const caller = new AbortController()
  const loading = testRunner().load(digits, caller.signal)
  caller.abort()
  await assert.rejects(loading, gone('killed'))
  await assert.rejects(testRunner().load(digits, caller.signal), gone('killed'))
  assert.deepEqual(children(), [])
})

for (const signal of ['SIGSEGV', 'SIGKILL'] as const) {
  test(`a child that ${signal} ends while it loads has crashed, and its model is not called broken`, async () => {
    const loading = start(digits)
    const pid = await onlyChild()
    process.kill(pid, signal)
    await assert.rejects(loading, gone('crashed'))
  })
}

test('a run is answered when the signal of its load aborts meanwhile', { timeout: 300_000 }, async t => {
  const caller = new AbortController()
  const model = await testRunner().load(digits, caller.signal)
  t.after(() => model.kill())
  const run = model.run([item(digits.exampleInput as string)])
  caller.abort()
  assert.equal((await run).items[0]?.ok, true)
})

test('the time limit of a load does not end a later run', { timeout: 300_000 }, async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const model = await load(t, digits)
  const run = model.run([item(digits.exampleInput as string)])
  t.mock.timers.tick(300_001)
  assert.equal((await run).items[0]?.ok, true)
})

test('a child sees none of our environment, and its folder is empty and goes with it', async t => {
  process.env.MILLHAND_TEST_SECRET = 'secret'
  const model = await load(t, digits)
  const pid = await onlyChild()
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .map(each => each.split('=')[0])
  delete process.env.MILLHAND_TEST_SECRET
  const names = environment.filter(name => name && !name.startsWith('NODE_CHANNEL_')).sort()
  assert.deepEqual(names, ['ORT_DISABLE_TELEMETRY', 'PATH', 'PWD'])
  const own = readlinkSync(`/proc/${pid}/cwd`)
  assert.match(own, /millhand-model-/)
  assert.deepEqual(await readdir(own), [])
  await model.kill()
  await assert.rejects(readdir(own), { code: 'ENOENT' })
})

test('a child tells the maker of ONNX Runtime nothing: it opens neither a socket nor a file of telemetry', async t => {
  const model = await load(t, digits)
  await ask(model, digits.exampleInput as string)
  const pid = await onlyChild()
  const open = readdirSync(`/proc/${pid}/fd`).flatMap(file => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${file}`)
    } catch {
      return [] // It was closed meanwhile.
    }
  })
  assert.deepEqual(
    open.filter(file => /onnxruntime\.db|mat-debug/.test(file)),
    [],
  )
})

test('the log gets the last words of a child that ended by itself', async t => {
  const lines: string[] = []
  const log = createLog({ level: 'warn', write: line => lines.push(line), format: 'json' })
  const model = await load(t, hostileModel('memory-bomb'), { log })
  await assert.rejects(model.run([item(number(2 ** 31))]), gone('out_of_memory'))
  await model.gone
  const { event, model: id, reason, text } = JSON.parse(lines[0] as string)
  assert.deepEqual([event, id, reason], ['model.stderr', 'plain', 'out_of_memory'])
  assert.match(text, /out of memory/)
})
