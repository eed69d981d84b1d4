import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type { Server } from '@millhand/test-e2e/server'
import { type Final, isTerminal, type Logged } from './history.ts'

const ALIVE = ['queued', 'running', 'cancelling'] as const

/** Resolves when no task is alive any more; rejects when some still are after `limitMs`. */
export async function allEnded(server: Server, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const pages = await Promise.all(ALIVE.map(status => server.request('GET', `/v1/tasks?status=${status}&limit=1`)))
    const alive = pages.flatMap(page => page.body.data)
    if (alive.length === 0) return
    if (performance.now() > deadline)
      throw new Error(`tasks are still alive after ${limitMs} ms, among them ${JSON.stringify(alive)}`)
    await pause(200)
  }
}

/** Every task that there is, as lists show it. */
export async function listAll(server: Server): Promise<Final[]> {
  const finals: Final[] = []
  for (let cursor = ''; ; ) {
    const page = await server.request('GET', `/v1/tasks?limit=100&include=output${cursor && `&cursor=${cursor}`}`)
    if (page.status !== 200) throw new Error(`list: ${page.status} ${page.text}`)
    for (const task of page.body.data) finals.push(final(task))
    if (!page.body.has_more) return finals
    cursor = encodeURIComponent(page.body.next_cursor)
  }
}

/** The tasks of these ids, each asked for by itself; those that are not there are left out. */
export async function getEach(server: Server, ids: readonly string[]): Promise<Final[]> {
  const finals: Final[] = []
  const left = [...ids]
  const reader = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const answer = await server.request('GET', `/v1/tasks/${id}`)
      if (answer.status === 200) finals.push(final(answer.body))
      else if (answer.status !== 404) throw new Error(`get ${id}: ${answer.status} ${answer.text}`)
    }
  }
  await Promise.all(Array.from({ length: 32 }, reader))
  return finals
}

/** The event log of the one-process shape, read from its file in the order in which it was appended. */
export function readEvents(file: string): Logged[] {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const rows = database.prepare(
      `SELECT key, id, type, value FROM events WHERE topic = 'millhand.tasks.v1' ORDER BY seq`,
    )
    return rows.all().map(row => {
      const value = JSON.parse(String(row.value))
      return {
        id: String(row.id),
        task: String(row.key),
        type: String(row.type),
        status: value.data.object.status,
        version: value.resource_version,
      }
    })
  } finally {
    database.close()
  }
}

function final(task: {
  id: string
  status: Final['status']
  resource_version: number
  output?: { digit: number }
}): Final {
  if (!isTerminal(task.status)) throw new Error(`${task.id} is ${task.status} after everything had ended`)
  return { id: task.id, status: task.status, version: task.resource_version, answer: task.output?.digit }
}
