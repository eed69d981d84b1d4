import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { send } from '@millhand/test-e2e/http'
import { repository } from '@millhand/test-e2e/server'
import { javaMissing } from '@millhand/test-servers'
import { taskBillFaults } from './bills.ts'
import { createInjector } from './fault-injection.ts'
import { chosenSeed, random } from './random.ts'
import type { Fault } from './schedule.ts'
import { streamFaults } from './stream-checks.ts'
import { readToEnd } from './stream-reader.ts'
import { startSystem } from './system.ts'
import { digits } from './task-requests.ts'

const TASKS_BEFORE_EACH_FAULT = 8
const READERS_OF_EACH = 2
/** So often in a thousand events a reader leaves by itself, and comes back. */
const LEAVES = 2
/** A slow machine takes its time; what stands still for so long has lost something. */
const STILL_MS = 300_000
const BILL_LIMIT_MS = 300_000

/** One after the other; what is killed comes back at once. */
const faults: readonly Fault[] = [
  { kind: 'kill', target: 'gateway-1', ms: 0 },
  { kind: 'kill', target: 'owner', ms: 0 },
  { kind: 'kill', target: 'executor-1', ms: 0 },
  { kind: 'kill', target: 'executor-2', ms: 0 },
  { kind: 'kill', target: 'executor-3', ms: 0 },
  { kind: 'kill', target: 'gateway-2', ms: 300 },
  { kind: 'cut', link: 'gateway-1>compute-1', ms: 500 },
  { kind: 'kill', target: 'owner', ms: 500 },
  { kind: 'pause', target: 'owner', ms: 3_000 },
  { kind: 'cut', link: 'executor-2>compute-1', ms: 1_000 },
  { kind: 'kill', target: 'mongo', ms: 300 },
  { kind: 'kill', target: 'gateway-1', ms: 0 },
  { kind: 'kill', target: 'owner', ms: 0 },
]

test('every reader of a task ends with the same exact sequence, whatever dies meanwhile', {
  skip: javaMissing,
  timeout: 1_800_000,
}, async t => {
  const seed = chosenSeed(700)
  const folder = mkdtempSync(join(tmpdir(), 'millhand-streams-'))
  t.diagnostic(`seed ${seed} (MILLHAND_SEED=${seed} replays it); logs and data in ${folder}`)
  const { wrong, events, retries, returns } = await run(seed, folder)
  t.diagnostic(`${events} events, ${retries} attempts lost, readers came back ${returns} times`)
  assert.deepEqual(wrong.slice(0, 20), [])
  assert.ok(returns > faults.length, 'the storm hardly disturbed anybody')
  assert.ok(retries > 0, 'no attempt was lost')
  rmSync(folder, { recursive: true })
})

async function run(seed: number, folder: string) {
  const dice = random(seed)
  await using system = await startSystem({ root: repository, folder, executorEntry: 'test/faults/src/generator.ts' })
  using progress = createProgress()
  const { onEvent, signal } = progress
  const { key, urls } = system
  const read = (task: string, leaves: number) => readToEnd({ urls, key, task, leaves, random: dice, onEvent, signal })

  const readings: Promise<{ task: string; readers: Awaited<ReturnType<typeof readToEnd>>[] }>[] = []
  const inject = createInjector(system)
  for (const fault of faults) {
    for (let i = 0; i < TASKS_BEFORE_EACH_FAULT; i++) {
      const reading = readAll(await create())
      reading.catch(() => {}) // It is awaited below, after the storm.
      readings.push(reading)
    }
    await pause(dice.between(200, 1_200))
    await inject(fault)
  }

  async function create(): Promise<string> {
    const parameters = { chunks: dice.between(80, 250), interval_ms: dice.between(30, 60) }
    const input = JSON.stringify(digits[0]?.pixels)
    const json = { type: 'inference', model: 'digits', input, parameters, max_attempts: 10 }
    for (;;) {
      for (const url of urls()) {
        const sent = send('POST', `${url}/v1/tasks`, { json, headers: { authorization: `Bearer ${key}` } })
        const answer = await sent.catch(() => undefined) // Nobody listens there: the other gateway may.
        if (answer?.status === 201) return answer.body.id
      }
      signal.throwIfAborted()
      await pause(200)
    }
  }

  async function readAll(task: string) {
    return { task, readers: await Promise.all(Array.from({ length: READERS_OF_EACH }, () => read(task, LEAVES))) }
  }

  const found = { wrong: [] as string[], events: 0, retries: 0, returns: 0 }
  for (const { task, readers } of await Promise.all(readings)) {
    const whole = (await read(task, 0)).events
    found.events += whole.length
    found.retries += whole.filter(({ type }) => type === 'task.retrying').length
    for (const reader of readers) found.returns += reader.returns
    const seen = readers.map(reader => reader.events)
    found.wrong.push(...streamFaults(task, whole, seen))
  }
  found.wrong.push(...(await taskBillFaults({ ...system, keys: [system.key] }, BILL_LIMIT_MS)))
  return found
}

/** A signal that fires when no reader has got an event for too long. */
function createProgress() {
  const still = new AbortController()
  const stop = () => still.abort(new Error(`no reader has got an event for ${STILL_MS / 1_000} s`))
  let timer = setTimeout(stop, STILL_MS)
  return {
    signal: still.signal,
    onEvent() {
      clearTimeout(timer)
      timer = setTimeout(stop, STILL_MS)
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}
