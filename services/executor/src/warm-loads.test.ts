/** Loads: who waits for them, what ends them, and the room that is made for them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Loaded, LoadFailed, type Runner, RunnerGone } from '@millhand/child-process'
import type { ModelPackage } from '@millhand/model'
import { createLog } from '@millhand/telemetry'
import type { Hold } from './warm-process.ts'
import { WarmProcesses } from './warm-processes.ts'

const model = { status: 'ready', id: 'm', version: 'sha256:1' } as ModelPackage

/** All that waits for nothing but this process has come to its end. */
const settled = () => new Promise(resolve => setImmediate(resolve))

/** A runner whose loads go on until their signal ends or the test says so. */
function slowLoads() {
  const loads: { readonly signal: AbortSignal; readonly resolve: () => void }[] = []
  const runner: Runner<ModelPackage> = {
    engine: { kind: 'onnx', name: 'onnxruntime 1', provider: 'cpu' },
    loads: 'model',
    load(_, signal) {
      const gone = Promise.withResolvers<RunnerGone>()
      const loaded: Loaded = {
        run: async () => ({ items: [], computeMs: 1 }),
        memoryBytes: () => 100,
        kill: async () => gone.resolve(new RunnerGone('killed', 'killed')),
        gone: gone.promise,
      }
      return new Promise((resolve, reject) => {
        loads.push({ signal, resolve: () => resolve(loaded) })
        signal.addEventListener('abort', () => reject(new RunnerGone('killed', 'stopped')), { once: true })
      })
    },
  }
  const processes = (ownProcesses: boolean, memoryLimitBytes = 1_000) =>
    new WarmProcesses<ModelPackage>({
      runner: ownProcesses ? { ...runner, ownProcesses } : runner,
      memoryLimitBytes,
      log: createLog({ level: 'error' }),
    })
  return { loads, processes }
}

const begin = () => [{ input: '', parameters: undefined }]
const killed = (error: unknown) => error instanceof RunnerGone && error.reason === 'killed'

for (const ownProcesses of [false, true])
  test(`a load ends with the last run that waits for it (${ownProcesses ? 'own processes' : 'shared'})`, async () => {
    const { loads, processes } = slowLoads()
    const warm = processes(ownProcesses)
    const [one, other] = [new AbortController(), new AbortController()]
    const first = assert.rejects(
      warm.get(model, 'a').run(begin, async () => {}, one.signal),
      killed,
    )
    const second = assert.rejects(
      warm.get(model, 'a').run(begin, async () => {}, other.signal),
      killed,
    )
    await settled()
    one.abort()
    await first
    assert.ok(loads.some(({ signal }) => !signal.aborted))
    other.abort()
    await second
    await settled()
    assert.ok(loads.every(({ signal }) => signal.aborted))
    assert.equal(warm.size, 0)
  })

test('a run goes on with the load that another one does not want any more', async () => {
  const { loads, processes } = slowLoads()
  const warm = processes(false)
  const unwanted = new AbortController()
  const first = assert.rejects(
    warm.get(model, 'a').run(begin, async () => {}, unwanted.signal),
    killed,
  )
  const second = warm.get(model, 'a').run(begin, async () => {})
  await settled()
  unwanted.abort()
  await first
  loads[0]?.resolve()
  assert.equal((await second).computeMs, 1)
  assert.deepEqual([loads.length, loads[0]?.signal.aborted], [1, false])
})

test('a process of its own that is killed while it loads ends its load', async () => {
  const { loads, processes } = slowLoads()
  const own = processes(false).own(model)
  const run = assert.rejects(
    own.run(begin, async () => {}),
    killed,
  )
  await settled()
  await own.kill()
  await run
  assert.equal(loads[0]?.signal.aborted, true)
})

test('nothing is kept of what is not loaded and not in use', async () => {
  const { loads, processes } = slowLoads()
  const warm = processes(false, 0)
  for (let n = 0; n < 100; n++) {
    const run = warm.get({ ...model, id: `m${n}` }, 'a').run(begin, async () => {})
    await settled()
    loads[n]?.resolve()
    await run
    await settled()
  }
  assert.equal(warm.size, 0)
})

/** A runner of processes that hold 100 each and take until `end` to go. */
function sizedProcesses(memoryLimitBytes: number, estimateBytes = 100) {
  /** What goes on with processes, in its order. */
  const events: string[] = []
  const { promise: end, resolve } = Promise.withResolvers<void>()
  let held = 0
  let most = 0
  const runner: Runner<ModelPackage> = {
    engine: { kind: 'onnx', name: 'onnxruntime 1', provider: 'cpu' },
    loads: 'model',
    estimateBytes: () => estimateBytes,
    async load({ id }) {
      events.push(`${id} starts`)
      held += 100
      most = Math.max(most, held)
      const gone = Promise.withResolvers<RunnerGone>()
      await settled()
      return {
        run: async items => ({
          items: items.map(() => ({ ok: true as const, output: Buffer.from(id) })),
          computeMs: 1,
        }),
        memoryBytes: () => 100,
        async kill() {
          events.push(`${id} is killed`)
          await end
          events.push(`${id} is gone`)
          held -= 100
          gone.resolve(new RunnerGone('killed', 'killed'))
        },
        gone: gone.promise,
      }
    },
  }
  const warm = new WarmProcesses({ runner, memoryLimitBytes, log: createLog({ level: 'error' }) })
  const run = (id: string, files?: Hold) => warm.get({ ...model, id }, 'a', false, files).run(begin, async () => {})
  return { run, events, resolve, most: () => most }
}

test('room is made before a process starts: the least recently used is gone by then', async () => {
  const { run, events, resolve, most } = sizedProcesses(250)
  await run('a')
  await run('b')
  await run('a')
  const third = run('c')
  await settled()
  assert.deepEqual(events.splice(0), ['a starts', 'b starts', 'b is killed'])
  resolve()
  await third
  assert.deepEqual(events.splice(0), ['b is gone', 'c starts'])
  assert.equal(most(), 200)
})

test('what is being loaded counts as what it will hold', async () => {
  const { run, resolve, events, most } = sizedProcesses(250)
  resolve()
  await Promise.all(['a', 'b'].map(id => run(id)))
  await Promise.all(['c', 'd'].map(id => run(id)))
  assert.equal(most(), 200)
  assert.deepEqual(
    events.toSorted().filter(event => event.endsWith('killed')),
    ['a is killed', 'b is killed'],
  )
})

test('a model whose file comes first counts once while it loads', async () => {
  const { run, resolve, events } = sizedProcesses(250)
  resolve()
  const files = async () => () => {}
  for (const id of ['a', 'b']) await run(id, files)
  assert.deepEqual(events, ['a starts', 'b starts'])
  await run('c', files)
  assert.deepEqual(events.slice(2), ['a is killed', 'a is gone', 'c starts'])
})

test('a model counts as its last process, whatever was estimated', async () => {
  const { run, resolve, events } = sizedProcesses(250, 1)
  resolve()
  for (const id of ['a', 'b', 'c']) await run(id)
  await settled()
  assert.deepEqual(events.splice(0).slice(0, 4), ['a starts', 'b starts', 'c starts', 'a is killed'])
  await run('a')
  assert.deepEqual(events, ['b is killed', 'b is gone', 'a starts'])
})

test('what a process is loaded from is held while it loads, and not while it runs', async () => {
  const log = createLog({ level: 'error' })
  const counts = { holds: 0, held: 0, loads: 0 }
  let end: (why: RunnerGone) => void = () => {}
  const runner: Runner<ModelPackage> = {
    engine: { kind: 'onnx', name: 'one', provider: 'cpu' },
    loads: 'model',
    async load() {
      counts.loads++
      assert.equal(counts.held, 1)
      const gone = Promise.withResolvers<RunnerGone>()
      end = gone.resolve
      return {
        async run() {
          assert.equal(counts.held, 0)
          return { items: [], computeMs: 1 }
        },
        memoryBytes: () => 100,
        kill: async () => end(new RunnerGone('killed', 'killed')),
        gone: gone.promise,
      }
    },
  }
  const files = async () => {
    counts.holds++
    counts.held++
    return () => void counts.held--
  }
  const processes = new WarmProcesses({ runner, memoryLimitBytes: 2 ** 40, log })
  const begin = () => [{ input: '', parameters: undefined }]
  const run = () => processes.get(model, 'a', false, files).run(begin, async () => {})
  for (let n = 0; n < 3; n++) await run()
  assert.deepEqual(counts, { holds: 1, held: 0, loads: 1 })
  end(new RunnerGone('crashed', 'it ended'))
  await settled()
  await run()
  assert.deepEqual(counts, { holds: 2, held: 0, loads: 2 })
  const own = processes.own(model, files)
  await own.run(begin, async () => {})
  await own.run(begin, async () => {})
  assert.equal(counts.held, 0)
  own.release()
  const gone = new LoadFailed('model_broken', 'The model is not there any more.')
  const absent = processes.get({ ...model, id: 'n' }, 'a', false, () => Promise.reject(gone))
  await assert.rejects(
    absent.run(begin, async () => {}),
    error => error === gone,
  )
})
