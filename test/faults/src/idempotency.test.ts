import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, send } from '@millhand/test-e2e/http'
import { repository } from '@millhand/test-e2e/server'
import { javaMissing } from '@millhand/test-servers'
import { taskBillFaults } from './bills.ts'
import { createInjector } from './fault-injection.ts'
import { chosenSeed, type Random, random } from './random.ts'
import type { Fault } from './schedule.ts'
import { gateways, type System, startSystem } from './system.ts'
import { digits } from './task-requests.ts'

const KEYS = 1_000
const SENDERS_OF_EACH = 8
/** So many keys are sent at once. */
const AT_ONCE = 25
/** One key in so many is an upload. */
const UPLOADS = 10
/** One in so many waits for its task, which takes half a second: it is struck while its task is made and not answered. */
const WAITS = 3
/** Each keeps what it strikes waiting for the 10 s of a lease. */
const MOST_FAULTS = 10
/** Longer than a reservation is held by who says nothing. */
const BEYOND_LEASE_MS = 11_500
/** A slow machine takes its time; who has no answer for so long gets none. */
const STILL_MS = 300_000

test('each of 1,000 keys makes one thing, and all who send it are told the same, whatever dies meanwhile', {
  skip: javaMissing,
  timeout: 1_800_000,
}, async t => {
  const seed = chosenSeed(900)
  const folder = mkdtempSync(join(tmpdir(), 'millhand-idempotency-'))
  t.diagnostic(`seed ${seed} (MILLHAND_SEED=${seed} replays it); logs and data in ${folder}`)
  await run(seed, folder, line => t.diagnostic(line))
  rmSync(folder, { recursive: true })
})

async function run(seed: number, folder: string, say: (line: string) => void): Promise<void> {
  await using system = await startSystem({ root: repository, folder, executorEntry: 'test/faults/src/generator.ts' })
  const clients = createClients(system, random(seed))
  const began = performance.now()
  const storming = new AbortController()
  const keys = new EventTarget()
  const storm = rage(system, random(seed + 1), keys, storming.signal)
  const answered = await sendAll(clients, keys).finally(() => storming.abort())
  const faults = await storm
  say(`${Math.round((performance.now() - began) / 1_000)} s, ${faults} faults, ${JSON.stringify(clients.tries)}`)

  const wrong: string[] = []
  for (const { name, answers } of answered) {
    const different = new Set(answers.map(({ status, text }) => `${status} ${text}`))
    if (different.size > 1) wrong.push(`${name} was answered in ${different.size} ways: ${[...different].join(' | ')}`)
    if (answers[0]?.status !== 201) wrong.push(`${name}: ${answers[0]?.text}`)
    const first = answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined).length
    if (first > 1) wrong.push(`${name} was answered ${first} times as if for the first time`)
  }
  assert.deepEqual(wrong.slice(0, 20), [])
  const made = answered.map(({ answers }) => answers[0]?.body.id as string).sort()
  assert.deepEqual([...(await clients.list('/v1/tasks')), ...(await clients.list('/v1/files'))].sort(), made)
  for (const { name, request } of answered.filter((_, n) => n % 20 === 0)) {
    const other = await clients.until(name, { ...request, body: `${request.body} ` })
    assert.equal(other.body.code, 'idempotency_mismatch')
  }
  assert.ok(faults > 3 && clients.tries.cut > 0, 'the storm hardly disturbed anybody')
  assert.deepEqual((await taskBillFaults({ ...system, keys: [system.key] }, STILL_MS)).slice(0, 20), [])
}

interface Request {
  readonly path: string
  readonly type: string
  readonly body: string
  readonly prefer?: string
}

interface Keyed {
  readonly name: string
  readonly request: Request
  readonly answers: readonly Answer[]
}

type Clients = ReturnType<typeof createClients>

/** Sends each key by all of its senders at once; `keys` hears `begun` for each. */
async function sendAll(clients: Clients, keys: EventTarget): Promise<readonly Keyed[]> {
  const answered: Keyed[] = []
  let next = 0
  const work = async () => {
    for (let n = next++; n < KEYS; n = next++) {
      const name = `key ${n}`
      const request = requestOf(n)
      const sent = Array.from({ length: SENDERS_OF_EACH }, () => clients.until(name, request))
      keys.dispatchEvent(new Event('begun'))
      answered.push({ name, request, answers: await Promise.all(sent) })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return answered
}

function requestOf(n: number): Request {
  if (n % UPLOADS === 0) return { path: '/v1/files', type: 'text/plain', body: `the file of key ${n}` }
  const input = JSON.stringify(digits[n % digits.length]?.pixels)
  const task = { type: 'inference', model: 'digits', input, metadata: { key: String(n) }, max_attempts: 10 }
  const waits = n % WAITS === 1
  const parameters = waits ? { chunks: 8, interval_ms: 50 } : { chunks: 1, interval_ms: 1 }
  const body = JSON.stringify({ ...task, parameters })
  return { path: '/v1/tasks', type: 'application/json', body, ...(waits && { prefer: 'wait=10' }) }
}

function createClients({ urls, key }: System, dice: Random) {
  const tries = { all: 0, cut: 0, inProgress: 0, failed: 0 }
  const authorization = `Bearer ${key}`

  /** The answer that counts; undefined where there is none yet. */
  async function attempt(
    gateway: number,
    name: string,
    { path, type, body, prefer }: Request,
  ): Promise<Answer | undefined> {
    const headers = { authorization, 'content-type': type, 'idempotency-key': name, ...(prefer && { prefer }) }
    tries.all++
    const answer = await send('POST', urls()[gateway] + path, { raw: body, headers }).catch(() => undefined)
    if (answer === undefined) tries.cut++
    else if (answer.status >= 500) tries.failed++
    else if (answer.status === 409) tries.inProgress++
    else return answer
    return undefined
  }

  return {
    tries,
    /** Sends it to one gateway and the other until it has an answer. */
    async until(name: string, request: Request): Promise<Answer> {
      const began = performance.now()
      for (let gateway = dice.between(0, 1); ; gateway = 1 - gateway) {
        const answer = await attempt(gateway, name, request)
        if (answer !== undefined) return answer
        assert.ok(performance.now() - began < STILL_MS, `${name} has no answer after ${STILL_MS} ms`)
        await pause(dice.between(100, 600))
      }
    },
    /** The ids of all there are. */
    async list(path: string): Promise<string[]> {
      const ids: string[] = []
      for (let cursor = ''; ; ) {
        const { body } = await send('GET', `${urls()[0]}${path}?limit=100${cursor}`, { headers: { authorization } })
        ids.push(...body.data.map(({ id }: { id: string }) => id))
        if (!body.has_more) return ids
        cursor = `&cursor=${body.next_cursor}`
      }
    },
  }
}

/**
 * Kills one gateway after the other, and lets one stand still beyond its leases. It strikes when a key has just been
 * sent: most of the time goes by with waiting for what was struck before. Says how many faults.
 */
async function rage(system: System, { between }: Random, keys: EventTarget, signal: AbortSignal): Promise<number> {
  const inject = createInjector(system)
  for (let n = 0; n < MOST_FAULTS; n++) {
    await once(keys, 'begun', { signal }).catch(() => {})
    if (signal.aborted) return n
    await pause(between(0, 300))
    const target = gateways[between(0, 1)] as (typeof gateways)[number]
    const fault: Fault = n === 2 ? { kind: 'pause', target, ms: BEYOND_LEASE_MS } : { kind: 'kill', target, ms: 0 }
    await inject(fault)
  }
  return MOST_FAULTS
}
