/** One process for all who use a file, with a real small model: what each keeps, unloading, crashes, loads that are given up. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { LoadFailed, RunnerGone } from '@millhand/child-process'
import { createLog } from '@millhand/telemetry'
import { type GgufProcess, type GgufProcessOptions, type Question, startGguf } from './gguf-process.ts'
import { GgufProcesses, type GgufUse } from './gguf-processes.ts'
import { smallModel, smallModelMissing } from './small-model.fixture.ts'

const log = createLog({ level: 'error', write: () => {} })
const never = new AbortController().signal
const folder = mkdtempSync(join(tmpdir(), 'millhand-gguf-'))
after(() => rmSync(folder, { recursive: true }))
const broken = join(folder, 'broken.gguf')
writeFileSync(broken, `GGUF${'\0'.repeat(100)}`)

const contextOf = (sequences: number, contextTokens: number, keepsPrefix: boolean) => ({
  ...{ sequences, contextTokens, keepsPrefix },
  stopMs: 60_000,
})
const ofTasks = (name: string, file: string): GgufUse => ({
  ...{ name, file, context: contextOf(2, 512, false) },
  memoryBytes: 2 ** 30,
})
const ofWorkforce = (file: string): GgufUse => ({
  ...{ name: 'workforce', file, context: contextOf(1, 1_024, true) },
  memoryBytes: 2 ** 29,
})
const question = (content: string, more: Partial<Question> = {}): Question => ({
  messages: [{ role: 'user', content }],
  schema: undefined,
  ...{ maxOutputTokens: 8, seed: 1, temperature: 0, topP: 1, stop: [] },
  ...more,
})
const endless = question('Count for ever.', {
  maxOutputTokens: 100_000,
  schema: { type: 'array', minItems: 90, items: { type: 'string', minLength: 100 } },
})
const gone = (reason: string) => (error: unknown) => error instanceof RunnerGone && error.reason === reason

function openProcesses(memoryLimitBytes = 2 ** 32, starts = startGguf) {
  const started: { readonly options: GgufProcessOptions; readonly process: GgufProcess }[] = []
  const start: typeof startGguf = async (options, signal) => {
    const process = await starts(options, signal)
    started.push({ options, process })
    return process
  }
  const processes = new GgufProcesses({ threads: 1, memoryLimitBytes, log, start })
  return { processes, started, [Symbol.asyncDispose]: () => processes.close() }
}

describe('a file that tasks and the workforce use', { skip: smallModelMissing }, () => {
  const link = join(folder, 'link.gguf')
  symlinkSync(smallModel, link)

  /** Both, each with the process of the file. */
  function openBoth(memoryLimitBytes?: number) {
    const opened = openProcesses(memoryLimitBytes)
    const uses = [ofTasks('one', smallModel), ofTasks('two', link), ofWorkforce(link)]
    const [tasks, , workforce] = uses.map(use => opened.processes.declare(use))
    assert.ok(tasks && workforce)
    return { ...opened, tasks, workforce }
  }

  it('has one process, whose contexts are apart', async () => {
    await using opened = openBoth()
    const [tasks, workforce] = await Promise.all([opened.tasks.acquire({}, never), opened.workforce.acquire({}, never)])
    const [known, unknown] = ['workforce', 'task'].map(word => question(`Remember the word ${word}.`))
    assert.ok(known && unknown)
    await Promise.all([tasks.ask(unknown), tasks.ask(unknown), workforce.ask(known)])
    const [ofTask, ofWork] = await Promise.all([tasks.ask(unknown), workforce.ask(known)])
    assert.ok(ofTask.kind === 'answered' && ofWork.kind === 'answered')
    assert.equal(ofTask.knownTokens, 0)
    assert.ok(ofWork.knownTokens > 10, `${ofWork.knownTokens}`)
    const long = question('word '.repeat(600))
    const [refused, read] = await Promise.all([tasks.ask(long), workforce.ask(long)])
    assert.ok(refused.kind === 'too_long' && refused.most < 512, JSON.stringify(refused))
    assert.equal(read.kind, 'answered')
    const [{ options } = {}, ...more] = opened.started
    assert.deepEqual(more, [])
    assert.equal(options?.contexts.length, 2, 'equal uses have one context')
    const { size } = statSync(smallModel)
    assert.equal(options?.memoryLimitBytes, size + 2 ** 30 + 2 ** 29)
  })

  it('fails whoever asks when its process dies, and both go on in another', async () => {
    await using opened = openBoth()
    const [tasks, workforce] = await Promise.all([opened.tasks.acquire({}, never), opened.workforce.acquire({}, never)])
    const asked = [tasks, workforce].map(each => assert.rejects(each.ask(endless), gone('killed')))
    await opened.started[0]?.process.kill()
    await Promise.all(asked)
    for (const use of [opened.workforce, opened.tasks])
      assert.equal((await (await use.acquire({}, never)).ask(question('Say hello.'))).kind, 'answered')
    assert.equal(opened.started.length, 2)
  })

  it('stays loaded while one of them uses it, and is unloaded for another once neither does', async () => {
    await using opened = openBoth(1)
    const other = opened.processes.declare(ofTasks('other', broken))
    const [task, brief] = [{}, {}]
    const tasks = await opened.tasks.acquire(task, never)
    const workforce = await opened.workforce.acquire(brief, never)
    tasks.release(task)
    await assert.rejects(other.acquire({}, never), LoadFailed)
    assert.equal((await workforce.ask(question('Say hello.'))).kind, 'answered')
    workforce.release(brief)
    await assert.rejects(other.acquire({}, never), LoadFailed)
    assert.equal((await workforce.gone).reason, 'killed')
    const again = await opened.workforce.acquire(brief, never)
    assert.equal((await again.ask(question('Say hello.'))).kind, 'answered')
    assert.equal(opened.started.length, 2)
  })
})

it('a load that a task gives up goes on for the workforce', async () => {
  const loading = Promise.withResolvers<AbortSignal | undefined>()
  const loaded = Promise.withResolvers<void>()
  const process: GgufProcess = {
    gone: new Promise(() => {}),
    memoryBytes: () => 0,
    kill: async () => {},
    ask: async () => ({ kind: 'failed', id: 1 }),
  }
  const { processes, started } = openProcesses(2 ** 32, async (_, signal) => {
    loading.resolve(signal)
    await loaded.promise
    return process
  })
  const tasks = processes.declare(ofTasks('one', broken))
  const workforce = processes.declare(ofWorkforce(broken))
  const cancelled = new AbortController()
  const unwanted = tasks.acquire({}, cancelled.signal)
  const wanted = workforce.acquire({}, never)
  const signal = await loading.promise
  cancelled.abort()
  await assert.rejects(unwanted, gone('killed'))
  assert.equal(signal?.aborted, false)
  loaded.resolve()
  assert.equal((await (await wanted).ask(question('Say hello.'))).kind, 'failed')
  assert.equal(started.length, 1)
})

it('a file that has gone is a fault of the model, and of no other', async () => {
  const { processes } = openProcesses()
  const use = processes.declare(ofTasks('none', join(folder, 'none.gguf')))
  await assert.rejects(use.acquire({}, never), error => error instanceof LoadFailed && error.code === 'model_broken')
})

it('a process that is loaded anew while room is made is kept, and ends with all', async () => {
  const mib = 2 ** 20
  const killed: number[] = []
  const files = ['a', 'b', 'c'].map(name => join(folder, name))
  for (const file of files) writeFileSync(file, '')
  const killing = Promise.withResolvers<void>()
  const mayEnd = Promise.withResolvers<void>()
  const crashes: (() => void)[] = []
  const start: typeof startGguf = async ({ file }) => {
    const { promise: gone, resolve } = Promise.withResolvers<RunnerGone>()
    const number = crashes.push(() => resolve(new RunnerGone('crashed', 'it crashed')))
    return {
      gone,
      memoryBytes: () => (file === files[0] ? 300 : 400) * mib,
      ask: () => assert.fail('nothing is asked'),
      async kill() {
        killed.push(number)
        killing.resolve()
        if (file === files[0]) await mayEnd.promise
        resolve(new RunnerGone('killed', 'it was stopped'))
      },
    }
  }
  const processes = new GgufProcesses({ threads: 1, memoryLimitBytes: 815 * mib, log, start })
  const [a, b, c] = files.map(file => processes.declare(ofTasks('one', file)))
  const used = async (use = a) => {
    const user = {}
    const shared = await use?.acquire(user, never)
    shared?.release(user)
  }
  await used(a)
  await used(b)
  const third = used(c)
  await killing.promise
  crashes[1]?.()
  await new Promise(setImmediate)
  await used(b)
  mayEnd.resolve()
  await third
  await processes.close()
  assert.deepEqual(killed.sort(), [1, 3, 4], 'the second one crashed')
})
