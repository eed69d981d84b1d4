/** Tasks that executors in instances have run. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Wire } from './http.ts'
import type { Served } from './server.ts'
import { ended, TYPE_ID } from './tasks.ts'

const LIMIT_MS = 300_000

/** Waits until each has succeeded in an instance, and was said to have ended once; the tasks. */
export async function allSucceeded(server: Served, ids: readonly string[]): Promise<Wire[]> {
  const tasks: Wire[] = []
  for (const id of ids) {
    const task = await ended(server, id)
    assert.equal(task.status, 'succeeded', JSON.stringify(task.error))
    assert.match(task.usage.instance_id, TYPE_ID('inst'))
    assert.equal(task.cost.amount, '0.000000')
    tasks.push(task)
  }
  for (const id of ids) assert.deepEqual(await endsOf(server, id), ['task.succeeded'])
  return tasks
}

/** The events of a task's end: at least one, for which it waits. They come by the log of events. */
async function endsOf(server: Served, id: string): Promise<string[]> {
  for (const deadline = performance.now() + LIMIT_MS; ; await pause(100)) {
    const { body, text } = await server.request('GET', `/v1/events?resource_id=${id}&limit=100`)
    const types: string[] = body.data.map(({ type }: Wire) => type)
    const ends = types.filter(type => /\.(succeeded|failed|cancelled|expired)$/.test(type))
    if (ends.length > 0) return ends
    assert.ok(performance.now() < deadline, text)
  }
}
