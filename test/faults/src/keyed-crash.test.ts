import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer, RequestOptions } from '@millhand/test-e2e/http'
import { operatorEnv } from '@millhand/test-e2e/operator'
import { type Server, startServer } from '@millhand/test-e2e/server'
import { taskBillFaults } from './bills.ts'
import { allEnded } from './outcome.ts'
import { chosenSeed, random } from './random.ts'
import { digits } from './task-requests.ts'

const KEYS = 300
const KILLS = 4
const SENDERS = 24
const BILL_LIMIT_MS = 300_000
/** What was begun by a process that died is free after 10 s. */
const ANSWERED_WITHIN_MS = 300_000

test('what one process was asked for with a key when it was killed is there once, when it is asked for again', {
  timeout: 1_800_000,
}, async t => {
  const seed = chosenSeed()
  t.diagnostic(`seed ${seed} (MILLHAND_SEED=${seed} replays it)`)
  const { between } = random(seed)
  await using server = await startServer()
  const known = new Set((await Promise.all(paths.map(path => idsOf(server, path)))).flat())

  const moments = new Set(Array.from({ length: KILLS }, () => between(SENDERS, KEYS - SENDERS)))
  let begun = 0
  let serving: Promise<unknown> = Promise.resolve()
  const killed = async (afterMs: number) => {
    await pause(afterMs)
    await server.kill()
    await server.restart()
  }
  const firsts = await inParallel(async n => {
    await serving
    begun++
    if (moments.has(begun)) serving = serving.then(() => killed(between(0, 20)))
    return await post(server, n).catch(() => undefined)
  })
  await serving
  const agains = await inParallel(n => answered(server, n))

  const cut = firsts.filter(first => first === undefined).length
  const replayed = agains.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length
  t.diagnostic(`${cut} of ${KEYS} had no answer; ${replayed} were answered again`)
  assert.ok(cut > 0, 'nothing was cut off')
  agains.forEach((again, n) => {
    assert.equal(again.status, 201, again.text)
    const first = firsts[n]
    if (first?.status !== 201) return
    assert.equal(again.text, first.text)
    assert.equal(again.headers['idempotent-replayed'], 'true')
  })
  const made = (await Promise.all(paths.map(path => idsOf(server, path)))).flat().filter(id => !known.has(id))
  assert.deepEqual(made.sort(), agains.map(({ body }) => body.id).sort())
  await allEnded(server, 300_000)
  const { key, url } = server
  const billed = await taskBillFaults({ keys: [key], urls: () => [url], operator: operatorEnv(server) }, BILL_LIMIT_MS)
  assert.deepEqual(billed.slice(0, 20), [])
})

const paths = ['/v1/tasks', '/v1/files', '/v1/api_keys'] as const

/** The n-th request: each kind of object that there is, tasks for the most part. */
function request(n: number): readonly [path: string, options: RequestOptions] {
  const headers = { 'idempotency-key': `key ${n}` }
  if (n % 10 === 0) return ['/v1/files', { raw: `file ${n}`, headers: { ...headers, 'content-type': 'text/plain' } }]
  if (n % 10 === 5) return ['/v1/api_keys', { json: { name: `key ${n}`, scopes: ['tasks:read'] }, headers }]
  const input = JSON.stringify(digits[n % digits.length]?.pixels)
  return ['/v1/tasks', { json: { type: 'inference', model: 'digits', input, max_attempts: 10 }, headers }]
}

function post(server: Server, n: number): Promise<Answer> {
  const [path, options] = request(n)
  return server.request('POST', path, options)
}

/** Sends it until its answer is final. */
async function answered(server: Server, n: number): Promise<Answer> {
  const began = performance.now()
  for (;;) {
    const answer = await post(server, n)
    // A disk that stands still for 10 s is no fault of ours.
    if (answer.status !== 409 && answer.status !== 504) return answer
    assert.ok(performance.now() - began < ANSWERED_WITHIN_MS, `key ${n}: ${answer.text}`)
    await pause(200)
  }
}

/** One result for each key, of so many calls at once. */
async function inParallel<T>(call: (n: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  let next = 0
  const sender = async () => {
    for (let n = next++; n < KEYS; n = next++) results[n] = await call(n)
  }
  await Promise.all(Array.from({ length: SENDERS }, sender))
  return results
}

async function idsOf(server: Server, path: string): Promise<string[]> {
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const { body } = await server.request('GET', `${path}?limit=100${cursor}`)
    ids.push(...body.data.map(({ id }: { id: string }) => id))
    if (!body.has_more) return ids
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`
  }
}
