import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Loaded, LoadFailed, type Runner, RunnerGone } from '@millhand/child-process'
import type { ModelPackage } from '@millhand/model'
import { createLog, processMetrics } from '@millhand/telemetry'
import type { Hold } from './warm-process.ts'
import { WarmProcesses } from './warm-processes.ts'

const model = { status: 'ready', id: 'm', version: 'sha256:1' } as ModelPackage

/** What a run logs whose model loads, or runs, with this error. */
async function logged(errors: { readonly load?: Error; readonly run?: Error }) {
  const lines: string[] = []
  const log = createLog({ level: 'warn', write: line => lines.push(line), format: 'json' })
  const loaded: Loaded = {
    run: async () => {
      throw errors.run
    },
    memoryBytes: () => 0,
    kill: async () => {},
    gone: new Promise(() => {}),
  }
  const runner: Runner<ModelPackage> = {
    engine: { kind: 'onnx', name: 'onnxruntime 1', provider: 'cpu' },
    loads: 'model',
    load: async () => {
      if (errors.load) throw errors.load
      return loaded
    },
  }
  const warm = new WarmProcesses({ runner, memoryLimitBytes: 0, log }).get(model, 'a')
  const run = warm.run(
    () => [{ input: 'swordfish', parameters: undefined }],
    async () => {},
  )
  await assert.rejects(run, error => error === (errors.load ?? errors.run))
  await new Promise(resolve => setImmediate(resolve))
  assert.ok(!lines.some(line => line.includes('swordfish')))
  return lines.map(line => {
    const { event, model, error } = JSON.parse(line)
    return [event, model, error.message, error.cause?.code].filter(each => each !== undefined)
  })
}

test('the log has why a process could not be had, and every error that is none of ours', async () => {
  const cause = Object.assign(new Error('no such file'), { code: 'ENOENT' })
  const absent = new RunnerGone('not_started', 'no process', { cause })
  assert.deepEqual(await logged({ load: absent }), [['model.not_loaded', 'm', 'no process', 'ENOENT']])
  assert.deepEqual(await logged({ load: new Error('odd') }), [['model.run_failed', 'm', 'odd']])
  assert.deepEqual(await logged({ run: new Error('odd') }), [['model.run_failed', 'm', 'odd']])
})

test('the log has nothing where the task itself is told, nor of what was stopped', async () => {
  assert.deepEqual(await logged({ load: new LoadFailed('model_broken', 'broken') }), [])
  assert.deepEqual(await logged({ load: new RunnerGone('killed', 'stopped') }), [])
  assert.deepEqual(await logged({ run: new RunnerGone('killed', 'stopped') }), [])
})

/** A runner of own processes that hold what they are told to. */
function ownProcesses(memoryLimitBytes: number, isListed?: (id: string) => boolean) {
  const log = createLog({ level: 'error' })
  let loads = 0
  let started = Promise.resolve()
  const killed: number[] = []
  const runner: Runner<ModelPackage> = {
    engine: { kind: 'rules', name: 'one', provider: 'cpu' },
    loads: 'engine',
    ownProcesses: true,
    async load() {
      const id = ++loads
      await started
      const gone = Promise.withResolvers<RunnerGone>()
      return {
        run: async items => {
          await (items[0]?.parameters?.until as Promise<void> | undefined)
          return { items: [{ ok: true, output: Buffer.from(String(id)) }], computeMs: 1 }
        },
        memoryBytes: () => 100,
        async kill() {
          killed.push(id)
          gone.resolve(new RunnerGone('killed', 'killed'))
        },
        gone: gone.promise,
      }
    },
  }
  const warm = new WarmProcesses({ runner, memoryLimitBytes, log, ...(isListed && { isListed }) })
  /** Which process ran it. */
  const run = async (id = 'm', { tenant = 'a', until }: { tenant?: string; until?: Promise<void> } = {}) => {
    const thing = { ...model, id }
    const { items } = await warm.get(thing, tenant).run(
      () => [{ input: '', parameters: { until } }],
      async () => {},
    )
    await settled()
    return items[0]?.ok && 'output' in items[0] ? Number(items[0].output) : 0
  }
  const starts = (until: Promise<void>) => {
    started = until
  }
  return { run, killed, starts, loads: () => loads }
}

/** All that waits for nothing but this process has come to its end. */
const settled = () => new Promise(resolve => setImmediate(resolve))

test('runs that share nothing have a process each while they are on, and an idle one is taken again', async () => {
  const { run } = ownProcesses(200)
  const { promise: until, resolve } = Promise.withResolvers<void>()
  const both = [run('m', { until }), run('m', { until })]
  await settled()
  resolve()
  assert.deepEqual(await Promise.all(both), [1, 2])
  assert.ok([1, 2].includes(await run()))
})

test('a process that has run something runs nothing of another tenant', async () => {
  const { run } = ownProcesses(1_000)
  const by = new Map<string, Set<number>>()
  for (const tenant of ['a', 'b', 'a', 'c', 'b', 'a', 'c']) {
    const used = by.get(tenant) ?? new Set()
    by.set(tenant, used.add(await run('m', { tenant })))
  }
  assert.deepEqual(
    [...by.values()].map(({ size }) => size),
    [1, 1, 1],
  )
  assert.equal(new Set([...by.values()].flatMap(used => [...used])).size, 3)
})

test('a fresh process stands ready for the next tenant, one and no more, while there is room', async () => {
  const roomy = ownProcesses(1_000)
  await roomy.run('m', { tenant: 'a' })
  assert.equal(roomy.loads(), 2)
  await roomy.run('m', { tenant: 'a' })
  assert.equal(roomy.loads(), 2)
  assert.equal(await roomy.run('m', { tenant: 'b' }), 2)
  assert.equal(roomy.loads(), 3)
  const tight = ownProcesses(150)
  await tight.run('m', { tenant: 'a' })
  assert.equal(tight.loads(), 1)
})

test('a process of another tenant goes where there is no room for both', async () => {
  const { run, killed } = ownProcesses(150)
  assert.equal(await run('m', { tenant: 'a' }), 1)
  assert.equal(await run('m', { tenant: 'b' }), 2)
  assert.deepEqual(killed, [1])
  assert.equal(await run('m', { tenant: 'a' }), 3)
})

test('idle processes are ended by least-recent use while all hold more than they may', async () => {
  const { run, killed } = ownProcesses(350)
  for (const id of ['a', 'b', 'a', 'c', 'd']) await run(id)
  assert.deepEqual(killed, [2, 3]) // The fresh one of a, then that of b.
  assert.equal(await run('a'), 1)
  assert.equal(await run('b'), 6)
})

test('loads and unloads are counted by what is listed, and all else together', async () => {
  const read = async (series: string) => {
    const lines = (await processMetrics.text({ warn: () => {} })).split('\n')
    return Number(
      lines
        .find(line => line.startsWith(`millhand_model_${series}`))
        ?.split(' ')
        .at(-1) ?? Number.NaN,
    )
  }
  const { run } = ownProcesses(100, id => id !== 'of an account')
  await run('counted')
  assert.equal(await read('loads_total{model="counted",outcome="loaded"}'), 1)
  assert.equal(await read('loads_total{model="counted",outcome="failed"}'), 0)
  assert.equal(await read('unloads_total{model="counted"}'), 0)
  await run('of an account')
  assert.equal(await read('unloads_total{model="counted"}'), 1)
  assert.equal(await read('loads_total{model="own",outcome="loaded"}'), 1)
})

test('a fresh process goes before one that somebody used, however long ago', async () => {
  const { run, killed } = ownProcesses(350)
  for (const id of ['a', 'b', 'c']) await run(id)
  assert.deepEqual(killed, [2]) // The fresh one of a.
  assert.deepEqual([await run('a'), await run('b')], [1, 3])
})

test('a run that waits for a new process takes one of its tenant that is free before', async () => {
  const { run, starts } = ownProcesses(200)
  const first = Promise.withResolvers<void>()
  const running = run('m', { until: first.promise })
  await settled()
  const slow = Promise.withResolvers<void>()
  starts(slow.promise)
  const waiting = run()
  const other = run('m', { tenant: 'b' })
  first.resolve()
  assert.deepEqual(await Promise.all([running, waiting]), [1, 1])
  slow.resolve()
  assert.ok((await other) > 1)
  const { promise: until, resolve } = Promise.withResolvers<void>()
  const both = [run('m', { until }), run('m', { until })]
  await settled()
  resolve()
  const used = await Promise.all(both)
  assert.equal(new Set(used).size, 2)
})

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
