/** A tenant that calls now and then: what becomes of its calls and tasks while another is hostile. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { send } from '@millhand/test-e2e/http'
import { digit } from '@millhand/test-e2e/tasks'

export interface Neighbour {
  readonly url: string
  readonly key: string
}

/** So much at least; then on until `isOver`. */
export interface Measure {
  readonly gets: number
  readonly tasksOfEachKind: number
  isOver(): boolean
}

/** Milliseconds of each; and each call or task that did not do what it should, in words. */
export interface Measured {
  readonly gets: number[]
  readonly digits: number[]
  readonly sentiments: number[]
  readonly failures: string[]
  /** Answers of 503 and 504, after which the call was sent again. */
  readonly repeats: number
}

/** Calls one after the other, and beside them tasks of two kinds, each after the end of the one before. */
export async function measure(neighbour: Neighbour, { gets, tasksOfEachKind, isOver }: Measure): Promise<Measured> {
  const failures: string[] = []
  const repeatsBefore = repeats
  const timed = async (least: number, pauseMs: number, one: (at: number) => Promise<unknown>): Promise<number[]> => {
    const times: number[] = []
    let failed = 0
    for (let at = 0; failed < MOST_FAILURES && (at < least || !isOver()); at++) {
      const began = performance.now()
      await one(at).catch(error => {
        failed++
        failures.push(String(error))
      })
      times.push(performance.now() - began)
      if (pauseMs > 0) await pause(pauseMs)
    }
    return times
  }
  const sentiment = { task: 'sentiment_analysis', topic: 'x', input: { texts: ['Support was friendly and quick.'] } }
  const [measuredGets, digits, sentiments] = await Promise.all([
    timed(gets, 0, () => call(neighbour, 'GET', '/v1/tasks?limit=1')),
    timed(tasksOfEachKind, TASK_PAUSE_MS, at => runTask(neighbour, '/v1/tasks', digit(at % 10))),
    timed(tasksOfEachKind, TASK_PAUSE_MS, () => runTask(neighbour, '/v1/workforce/emma/tasks', sentiment)),
  ])
  return { gets: measuredGets, digits, sentiments, failures, repeats: repeats - repeatsBefore }
}

async function runTask(neighbour: Neighbour, path: string, json: object): Promise<void> {
  const created = await call(neighbour, 'POST', path, { json })
  const waiting = { headers: { prefer: 'wait=30' } }
  const deadline = performance.now() + TASK_MS
  for (;;) {
    const { status, id } = (await call(neighbour, 'GET', `/v1/tasks/${created.id}`, waiting)) as Record<string, string>
    if (status === 'succeeded') return
    assert.ok(status === 'queued' || status === 'running', `${id} of ${path} is ${status}`)
    assert.ok(performance.now() < deadline, `${id} of ${path} is still ${status} after ${TASK_MS} ms`)
  }
}

let repeats = 0

/** The body of an answer below 300, within the time that a caller has. A call that is answered 503 or 504 is sent again with its idempotency key. */
async function call(
  { url, key }: Neighbour,
  method: string,
  path: string,
  options: Parameters<typeof send>[2] = {},
): Promise<Record<string, string>> {
  const once = method === 'POST' && { 'idempotency-key': randomUUID() }
  const headers = { authorization: `Bearer ${key}`, ...once, ...options.headers }
  const signal = AbortSignal.timeout(CALL_MS)
  for (;;) {
    const { status, text, body } = await send(method, url + path, { ...options, headers, signal })
    if (status < 300) return body
    // 409: the call before is still under way.
    assert.ok([409, 503, 504].includes(status), `${method} ${path}: ${status} ${text.slice(0, 200)}`)
    repeats++
    await pause(250, undefined, { signal })
  }
}

/** In five minutes it makes fewer tasks than its plan has for a day. */
const TASK_PAUSE_MS = 250
/** More would say no more, and each may take its whole time. */
const MOST_FAILURES = 1
/** A call that is not answered by then has failed. */
const CALL_MS = 120_000
/** A task that has not ended by then has failed: its turn never comes. */
const TASK_MS = 300_000
