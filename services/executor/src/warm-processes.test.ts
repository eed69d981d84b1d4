import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Loaded, LoadFailed, type Runner, RunnerGone } from '@millhand/child-process'
import type { ModelPackage } from '@millhand/model'
import { createLog, processMetrics } from '@millhand/telemetry'
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
