/** Many accounts' own models, used at random under a memory limit that holds few of them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Caller, callerWith } from './account-resources.ts'
import { keyOf, newAccount } from './operator.ts'
import { residentBytes } from './processes.ts'
import { repository, type Server, startServer } from './server.ts'
import { assertProblem } from './tasks.ts'

/** `held`: how many models' processes the memory limit holds. `uses`: one after the other, and then again at once. */
const size =
  process.env.TEST_ALL === undefined
    ? { accounts: 5, models: 4, held: 3, uses: 30 }
    : { accounts: 20, models: 10, held: 10, uses: 300 }
/** What a model's process has resident. */
const PROCESS_MIB = 170
const LIMIT_MIB = size.held * PROCESS_MIB
const SLOTS = 2
const seed = Number(process.env.MILLHAND_SEED ?? process.env.TEST_PART ?? Date.now() % 1_000_000)

interface Model {
  readonly id: string
  readonly owner: Caller
  readonly constant: number
}

test('own models under a memory limit: each answers as itself, the least recently used is unloaded, and the limit holds', {
  timeout: 3_600_000,
}, async t => {
  t.diagnostic(`seed ${seed} (MILLHAND_SEED=${seed} replays it)`)
  const random = randomFrom(seed)
  await using server = await startServer({
    env: { MILLHAND_MODELS_MEMORY_MB: String(LIMIT_MIB), MILLHAND_EXECUTOR_SLOTS: String(SLOTS) },
  })
  const models = (await Promise.all(Array.from({ length: size.accounts }, (_, at) => registerAll(server, at)))).flat()
  const used: string[] = []
  let most = { processes: 0, mib: 0 }
  const use = async (model: Model) => {
    const type = random() < 0.5 ? 'inference' : 'custom'
    used.push(type === 'custom' ? `custom:${model.id}` : model.id)
    await runOn(model, type, Math.floor(random() * 1_000))
    const { processes, mib } = modelProcesses(server)
    most = { processes: Math.max(processes, most.processes), mib: Math.max(mib, most.mib) }
  }
  const choose = () => models[Math.floor(random() * models.length)] as Model

  await t.test('one after the other', async () => {
    // Half of them again what was used lately.
    const recent: Model[] = []
    for (let count = 0; count < size.uses; count++) {
      const model = random() < 0.5 ? (recent[Math.floor(random() * recent.length)] ?? choose()) : choose()
      recent.unshift(model)
      recent.splice(size.held)
      await use(model)
    }
  })
  const inTurn = [...used]

  await t.test('several at once', async () => {
    let left = size.uses
    const work = async () => {
      while (left-- > 0) await use(choose())
    }
    await Promise.all(Array.from({ length: 2 * SLOTS }, work))
  })

  await t.test('nobody sees the models of others', async () => {
    for (const [at, { id, owner }] of models.entries()) {
      const stranger = (models[(at + size.models) % models.length] as Model).owner
      assertProblem(await stranger.call('GET', `/v1/models/${id}`), 404, 'not_found')
      assertProblem(await stranger.call('DELETE', `/v1/models/${id}`), 404, 'not_found')
      const json = { type: 'custom', model: id, input: inputOf(1) }
      assertProblem(await stranger.call('POST', '/v1/tasks', { json }), 400, 'invalid_parameter', 'model')
      assert.equal((await owner.call('GET', `/v1/models/${id}`)).status, 200)
    }
  })

  await t.test('the memory limit held', () => {
    t.diagnostic(`at most ${most.processes} processes of models with ${most.mib} MiB; the limit is ${LIMIT_MIB} MiB`)
    assert.ok(most.processes >= size.held / 2, 'few were kept')
    assert.ok(most.mib <= LIMIT_MIB, `${most.mib} MiB`)
  })

  await t.test('what is unloaded is the least recently used', async () => {
    await server.stop()
    const { unloads, loaded } = replay(loadsIn(server.logs().stderr), inTurn)
    t.diagnostic(`${inTurn.length} uses in turn: ${loaded} loads, ${unloads} unloads`)
    assert.ok(unloads > 0 && loaded < inTurn.length)
  })
})

/** An account with its models, each of which adds a number of its own. */
async function registerAll(server: Server, account: number): Promise<Model[]> {
  const owner = callerWith(server, `account ${account}`, await keyOf(server, await newAccount(server, 'of models')))
  const models: Model[] = []
  for (let index = 0; index < size.models; index++) {
    const constant = account * size.models + index + 1
    const file = await owner.call('POST', '/v1/files?purpose=model', { raw: adding(constant) })
    assert.equal(file.status, 201, file.text)
    const model = await owner.call('POST', '/v1/models', { json: { name: `Adds ${constant}`, file: file.body.id } })
    assert.equal(model.status, 201, model.text)
    models.push({ id: model.body.id, owner, constant })
  }
  return models
}

const { count, field, model: modelOf, value } = await import(join(repository, 'libs/model/src/onnx-bytes.fixture.ts'))

/** The ONNX file of y = x + a number. */
function adding(constant: number): Buffer {
  const number = Buffer.alloc(4)
  number.writeFloatLE(constant)
  return modelOf({
    nodes: [Buffer.concat([field(1, 'x'), field(1, 'c'), field(2, 'y'), field(4, 'Add')])],
    inputs: [value('x')],
    outputs: [value('y')],
    initializers: [Buffer.concat([count(1, 1), count(2, 1), field(8, 'c'), field(9, number)])],
  })
}

const inputOf = (x: number) => JSON.stringify({ x: { dtype: 'float32', shape: [1], data: [x] } })

async function runOn({ id, owner, constant }: Model, type: string, x: number): Promise<void> {
  const json = { type, model: id, input: inputOf(x) }
  let { body: task } = await owner.call('POST', '/v1/tasks', { json, headers: { prefer: 'wait=60' } })
  while (['queued', 'running'].includes(task.status)) {
    task = (await owner.call('GET', `/v1/tasks/${task.id}`, { headers: { prefer: 'wait=60' } })).body
  }
  assert.equal(task.status, 'succeeded', JSON.stringify(task))
  assert.deepEqual(task.output.y.data, [x + constant], `the model that adds ${constant}`)
}

/** Processes of models that run below the server, and what they have resident. */
function modelProcesses(server: Server): { processes: number; mib: number } {
  let processes = 0
  let bytes = 0
  for (const [pid, resident] of residentBytes(server.pid)) {
    // Bubblewrap has the words of what it starts.
    const [program = '', ...words] = commandOf(pid).split('\0')
    if (!program.endsWith('/node') || !words.some(word => word.endsWith('/onnx/child.ts'))) continue
    processes++
    bytes += resident
  }
  return { processes, mib: Math.round(bytes / 2 ** 20) }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return '' // It has gone in the meantime.
  }
}

interface Load {
  readonly model: string
  readonly isLoad: boolean
}

const loadsIn = (log: string): Load[] =>
  log
    .split('\n')
    .filter(line => /"model\.(un)?loaded"/.test(line))
    .map(line => ({ model: JSON.parse(line).model, isLoad: line.includes('"model.loaded"') }))

/**
 * Holds what an executor loaded and unloaded to the order in which its models were used. The log does not say before which
 * use a model was unloaded: every way that goes with it is followed, and one must lead to the end.
 */
function replay(events: readonly Load[], uses: readonly string[]): { loaded: number; unloads: number } {
  /** How many events may be over before the next use. */
  let positions = new Set([0])
  for (const [index, model] of uses.entries()) {
    const after = new Set<number>()
    for (const position of positions) {
      for (let at = position; ; at++) {
        const loaded = loadedAfter(events.slice(0, at))
        const next = events[at]
        if (loaded.has(model)) after.add(at)
        else if (next?.isLoad && next.model === model) after.add(at + 1)
        if (next === undefined || next.isLoad || next.model !== leastRecent(loaded, uses.slice(0, index))) break
      }
    }
    assert.ok(after.size > 0, `use ${index} of ${model}, after ${[...positions]} of ${JSON.stringify(events)}`)
    positions = after
  }
  const over = events.slice(0, Math.max(...positions))
  const loaded = over.filter(({ isLoad }) => isLoad).length
  return { loaded, unloads: over.length - loaded }
}

function loadedAfter(events: readonly Load[]): Set<string> {
  const loaded = new Set<string>()
  for (const { model, isLoad } of events) {
    if (isLoad) loaded.add(model)
    else loaded.delete(model)
  }
  return loaded
}

const leastRecent = (loaded: ReadonlySet<string>, uses: readonly string[]): string | undefined =>
  [...loaded].sort((a, b) => uses.lastIndexOf(a) - uses.lastIndexOf(b))[0]

/** Lehmer's generator with the multiplier of Park and Miller: from 0 to below 1. */
function randomFrom(start: number): () => number {
  let state = (start % 2_147_483_646) + 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
