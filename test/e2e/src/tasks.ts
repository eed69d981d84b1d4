import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer, Wire } from './http.ts'
import { repository, type Served } from './server.ts'

/** The models of these tests, beside those that come with the product. */
export const ownModels = join(repository, 'test/fixtures/models')

const digits: readonly { digit: number; pixels: number[] }[] = JSON.parse(
  readFileSync(join(repository, 'test/fixtures/digits/digits.json'), 'utf8'),
)

/** A create for the model `digits`, of the drawing of a digit. */
export function digit(which: number, more: object = {}): object {
  return { type: 'inference', model: 'digits', input: JSON.stringify(digits[which]?.pixels), ...more }
}

/** A create for a run that takes about `ms` milliseconds of one processor core on a machine of 2026. */
export function spin(ms: number, more: object = {}): object {
  const iterations = { dtype: 'int64', shape: [1], data: [Math.round(ms * 600)] }
  return { type: 'inference', model: 'spin', input: JSON.stringify({ iterations }), ...more }
}

export const FOREVER_MS = 3_600_000

/** Creates a task; the answer's body. `unavailable` as for `answered`. */
export async function create(server: Served, json: object, unavailable?: readonly number[]): Promise<Wire> {
  // The key makes the next one find the task that a lost one may have created.
  const headers = { 'idempotency-key': randomUUID() }
  const answer = await answered(() => server.request('POST', '/v1/tasks', { json, headers }), unavailable)
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}

/**
 * A disk that stands still for 10 s is no fault of ours: 504. `test/distributed` runs this suite on several processes: a call
 * between them may lose its answer where the machine is busy, and the contract answers 503.
 */
const UNAVAILABLE = process.env.TEST_KAFKA === undefined ? [504] : [503, 504]

/** What is answered in the end: who is told to come again does, as a client library does. */
export async function answered(
  ask: () => Promise<Answer>,
  unavailable: readonly number[] = UNAVAILABLE,
): Promise<Answer> {
  const deadline = performance.now() + ANSWERED_WITHIN_MS
  for (;;) {
    const answer = await ask()
    const isInProgress = answer.status === 409 && answer.body.code === 'idempotency_in_progress'
    if ((!unavailable.includes(answer.status) && !isInProgress) || performance.now() > deadline) return answer
    const { 'retry-after': seconds } = answer.headers
    assert.match(seconds ?? '', /^\d+$/, answer.text)
    await pause(Number(seconds) * 1000)
  }
}

const ANSWERED_WITHIN_MS = 300_000

/** Creates a task and waits for its end; the task as it then is. `unavailable` as for `answered`. */
export async function run(server: Served, json: object, unavailable?: readonly number[]): Promise<Wire> {
  const { id } = await create(server, json, unavailable)
  return await ended(server, id)
}

/** Waits until the task has ended; the task. Fails when that takes over 300 s, or so long. */
export function ended(server: Served, id: string, withinMs = REACHED_WITHIN_MS): Promise<Wire> {
  return reachesWithin(server, id, { states: ENDS, withinMs })
}

const ENDS = ['succeeded', 'failed', 'cancelled', 'expired']
const REACHED_WITHIN_MS = 300_000

/** Waits until the task is in one of the states, by `Prefer: wait`; fails when it ends in another, or that takes over 300 s. */
export const reaches = (server: Served, id: string, ...states: readonly string[]): Promise<Wire> =>
  reachesWithin(server, id, { states, withinMs: REACHED_WITHIN_MS })

async function reachesWithin(
  server: Served,
  id: string,
  { states, withinMs }: { readonly states: readonly string[]; readonly withinMs: number },
): Promise<Wire> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const plain = await answered(() => server.request('GET', `/v1/tasks/${id}`))
    assert.equal(plain.status, 200, plain.text)
    if (states.includes(plain.body.status)) return plain.body
    assert.ok(!ENDS.includes(plain.body.status), `not ${states.join(' or ')}: ${plain.text}`)
    assert.ok(performance.now() < deadline, `${id} is still ${plain.body.status}, not ${states.join(' or ')}`)
    await server.request('GET', `/v1/tasks/${id}`, { headers: { prefer: 'wait=1' } })
  }
}

/** Cancels a task that may be running, and waits until it is gone: tidying, not testing. */
export async function clear(server: Served, ...ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map(id => answered(() => server.request('DELETE', `/v1/tasks/${id}`))))
  await Promise.all(ids.map(id => ended(server, id)))
}

/** Ends whatever a test that failed has left alive, so that the next one finds the queue empty. */
export async function clearAll(server: Served): Promise<void> {
  for (const status of ['queued', 'running', 'cancelling']) {
    const page = await answered(() => server.request('GET', `/v1/tasks?status=${status}&limit=100`))
    await clear(server, ...page.body.data.map((task: Wire) => task.id))
  }
}

/** Holds an answer to the shape of a problem: contract, section 2. */
export function assertProblem(answer: Answer, status: number, code: string, param?: string): Wire {
  assert.equal(answer.status, status, answer.text)
  assert.match(answer.headers['content-type'] ?? '', /^application\/problem\+json\b/)
  const problem = answer.body
  assert.equal(problem.code, code, answer.text)
  assert.equal(problem.status, status)
  assert.match(problem.type, new RegExp(`^https?://.*/errors/${code}$`))
  assert.ok(typeof problem.title === 'string' && problem.title !== '')
  assert.ok(typeof problem.detail === 'string' && problem.detail !== '', 'a problem says what is wrong')
  assert.match(problem.request_id, TYPE_ID('req'))
  assert.equal(problem.request_id, answer.headers['x-request-id'])
  if (param !== undefined) {
    assert.equal(problem.param, param, answer.text)
    assert.ok(
      problem.errors.some((fault: Wire) => fault.param === param && fault.code && fault.message),
      answer.text,
    )
  }
  const known = ['type', 'title', 'status', 'code', 'detail', 'param', 'errors', 'request_id']
  assert.deepEqual(
    Object.keys(problem).filter(key => !known.includes(key)),
    [],
  )
  return problem
}

export const TYPE_ID = (prefix: string) => new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`)
export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
