import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { operatorEnv } from '@millhand/test-e2e/operator'
import { type Server, startServer } from '@millhand/test-e2e/server'
import { run as runTask } from '@millhand/test-e2e/tasks'
import { batchFaults } from './batch-checks.ts'
import { createBatchVisitors } from './batch-visitors.ts'
import { billFaults, chargesOfHistory, chargesOfTasks, settledBill, verifyFaults } from './bills.ts'
import { createClients } from './clients.ts'
import { violations } from './history-checks.ts'
import { allEnded, getEach, listAll, readEvents, readHistories } from './outcome.ts'
import { chosenSeed, random } from './random.ts'
import { digits, waitingRequest } from './task-requests.ts'

const isWhole = process.env.TEST_ALL !== undefined
const CLIENTS = 128
const TASKS = isWhole ? 15_000 : 5_000
const KILLS = isWhole ? 30 : 10
const BILL_LIMIT_MS = 300_000

const BATCH_VISITORS = 16

test('nothing that was answered is lost, done twice or told out of order, however often the process is killed', {
  timeout: 1_800_000,
}, async t => {
  const seed = chosenSeed()
  t.diagnostic(`seed ${seed} (MILLHAND_SEED=${seed} replays it)`)
  await using server = await startServer()
  await knowsTheDigits(server)
  const knownBefore = (await listAll(server)).length

  const portion = Math.floor(TASKS / (KILLS + 1))
  const gate = openableGate()
  const began = performance.now()
  const requests = random(seed + 1)
  const late: string[] = []
  const clients = createClients({
    urls: () => [server.url],
    key: server.key,
    clients: CLIENTS,
    next: async () => ((await gate.pass()) ? waitingRequest(requests) : undefined),
    // A disk that stands still for 10 s is no fault of ours. The machine that runs the whole form is quiet.
    unavailable: isWhole ? [] : [504],
    onUnavailable: ({ text }) => void late.push(text),
  })
  const running = clients.run()
  const over = new AbortController()
  const created = new EventTarget()
  const visitors = createBatchVisitors({
    urls: () => [server.url],
    key: server.key,
    visitors: BATCH_VISITORS,
    random: random(seed + 3),
    over: over.signal,
    onCreated: () => void created.dispatchEvent(new Event('batch')),
  })
  const visiting = visitors.run()
  const moments = random(seed + 2)
  const struck: number[] = []
  for (let at = 0; at < KILLS; at++) {
    const before = at * portion
    gate.admit(portion)
    // Every second kill strikes a batch that was just created, the others strike among the creates of their portion.
    if (at % 2 === 1) await once(created, 'batch')
    else await gate.passed(before + moments.between(CLIENTS, portion))
    await pause(moments.between(0, at % 2 === 1 ? 300 : 20))
    struck.push(gate.count - clients.seen.acknowledged.length)
    await server.kill()
    await server.restart()
  }
  gate.admit(TASKS - KILLS * portion)
  gate.close()
  const seen = await running
  over.abort()
  const batches = await visiting
  const sent = performance.now()
  const batchEnds = await visitors.ends(batches, 300_000)
  await allEnded(server, 300_000)
  const ended = performance.now()

  const listed = await listAll(server)
  const each = await getEach(
    server,
    seen.acknowledged.map(({ id }) => id),
  )
  const ofBatches = batchFaults(batches, batchEnds, await visitors.list())
  const ask = (method: string, path: string) => server.request(method, path)
  const charges = await chargesOfTasks(ask)
  const bill = await settledBill(ask, charges, BILL_LIMIT_MS)
  const unverified = await verifyFaults(operatorEnv(server))
  await server.stop()
  const file = join(server.dataDir, 'millhand.db')
  const events = readEvents(file)
  const histories = readHistories(file)

  t.diagnostic(
    `${KILLS} kills while ${struck.join(', ')} creates were under way; ` +
      `${seen.acknowledged.length} answered with 201, ${seen.unanswered} requests unanswered, ` +
      `${seen.cancellations.length} cancels, ${listed.length} tasks, ${events.length} events; ` +
      `${batches.length} batches, ${batches.filter(({ cancelled }) => cancelled).length} of them cancelled; ` +
      `sent in ${Math.round(sent - began)} ms, ended ${Math.round(ended - sent)} ms later; ` +
      `${late.length} answered too late; ${counts(listed)}`,
  )
  assert.deepEqual(seen.unexpected.slice(0, 5), [])
  assert.deepEqual(visitors.unexpected.slice(0, 5), [])
  assert.deepEqual(ofBatches.slice(0, 20), [], `seed ${seed}`)
  const billed = [...billFaults(bill, charges), ...billFaults(bill, chargesOfHistory(events)), ...unverified]
  assert.deepEqual(billed.slice(0, 20), [], `seed ${seed}`)
  const history = { ...seen, events, histories }
  assert.deepEqual(violations({ ...history, finals: listed }).slice(0, 20), [], `seed ${seed}`)
  const byId = new Map(listed.map(task => [task.id, task]))
  for (const task of each) assert.deepEqual(byId.get(task.id), task)
  assert.equal(each.length, seen.acknowledged.length)
  assert.equal(seen.acknowledged.length, TASKS)
  const lines = batches.reduce((sum, { customIds }) => sum + customIds.length, 0)
  assert.ok(listed.length <= TASKS + seen.unanswered + knownBefore + lines, 'a create made two tasks')
  const succeeded = listed.filter(task => task.status === 'succeeded').length
  assert.ok(succeeded > listed.length / 2, `only ${succeeded} of ${listed.length} succeeded`)
})

/** Asks for each digit once, so that a wrong answer later on is the crashes' fault and not the model's. */
async function knowsTheDigits(server: Server): Promise<void> {
  for (const { digit, pixels } of digits) {
    const json = { type: 'inference', model: 'digits', input: JSON.stringify(pixels) }
    const task = await runTask(server, json)
    assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
    assert.equal(task.output.digit, digit)
  }
}

/** Lets as many through as were admitted; the others wait, until it is closed and all admitted have passed. */
function openableGate() {
  let places = 0
  let count = 0
  let closed = false
  const counting = new EventTarget()
  const waiting: ((passed: boolean) => void)[] = []
  const settle = () => {
    while (waiting.length > 0 && (places > 0 || closed)) {
      const passed = places > 0
      if (passed) {
        places--
        count++
      }
      waiting.shift()?.(passed)
    }
    counting.dispatchEvent(new Event('passed'))
  }
  return {
    admit: (count: number) => {
      places += count
      settle()
    },
    close: () => {
      closed = true
      settle()
    },
    /** How many have passed. */
    get count() {
      return count
    },
    /** Resolves once so many have passed. */
    passed: async (most: number) => {
      while (count < most) await once(counting, 'passed')
    },
    pass: () =>
      new Promise<boolean>(resolve => {
        waiting.push(resolve)
        settle()
      }),
  }
}

function counts(tasks: readonly { readonly status: string }[]): string {
  return [...Map.groupBy(tasks, task => task.status)].map(([status, { length }]) => `${length} ${status}`).join(', ')
}
