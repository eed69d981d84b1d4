import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer } from '@millhand/test-e2e/http'
import type { Server } from '@millhand/test-e2e/server'
import type { Final, Logged, StoredHistory } from './history-checks.ts'

/** Whatever shape of the product answers the calls. */
export type Asked = Pick<Server, 'request'>

const ALIVE = ['queued', 'running', 'cancelling'] as const

/** Resolves when no task is alive any more; rejects when some still are after `limitMs`. */
export async function allEnded(server: Asked, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs
  // A task can step from one list to the other between two looks, but not twice within its backoff of a second.
  for (let quiet = 0; quiet < 2; ) {
    const alive = await someAlive(server)
    quiet = alive === undefined ? quiet + 1 : 0
    if (alive === undefined) continue
    if (performance.now() > deadline) throw new Error(`after ${limitMs} ms ${alive} is still alive`)
    await pause(200)
  }
}

/** Some task that has not ended, in words. */
async function someAlive(server: Asked): Promise<string | undefined> {
  for (const status of ALIVE) for await (const task of tasks(server, `status=${status}`)) return JSON.stringify(task)
  return undefined
}

/** Every task that there is, as lists show it. */
export async function listAll(server: Asked): Promise<Final[]> {
  return await Array.fromAsync(tasks(server, 'include=output'), final)
}

/** The tasks of a list, page after page; a page may be short. */
async function* tasks(server: Asked, filters: string): AsyncGenerator<ShownTask> {
  for (let cursor = ''; ; ) {
    const page = await get(server, `/v1/tasks?limit=100&${filters}${cursor}`)
    if (page.status !== 200) throw new Error(`list: ${page.status} ${page.text}`)
    yield* page.body.data
    if (!page.body.has_more) return
    cursor = `&cursor=${encodeURIComponent(page.body.next_cursor)}`
  }
}

/** A read that no service could answer in time is sent again, as a client does: after a storm the machine is still busy. */
async function get(server: Asked, path: string): Promise<Answer> {
  const deadline = performance.now() + READ_LIMIT_MS
  for (;;) {
    const answer = await server.request('GET', path)
    if ((answer.status !== 503 && answer.status !== 504) || performance.now() > deadline) return answer
    await pause(500)
  }
}

const READ_LIMIT_MS = 300_000

/** The tasks of these ids, each asked for by itself; those that are not there are left out. */
export async function getEach(server: Asked, ids: readonly string[]): Promise<Final[]> {
  const finals: Final[] = []
  const left = [...ids]
  const reader = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const answer = await get(server, `/v1/tasks/${id}`)
      if (answer.status === 200) finals.push(final(answer.body))
      else if (answer.status !== 404) throw new Error(`get ${id}: ${answer.status} ${answer.text}`)
    }
  }
  await Promise.all(Array.from({ length: 32 }, reader))
  return finals
}

/** The event log of the one-process shape, read from its file in the order in which it was appended. */
export function readEvents(file: string): Logged[] {
  return readFrom(file, database => {
    const rows = database.prepare(
      `SELECT key, id, type, value FROM event_log WHERE topic = 'millhand.tasks.v1' ORDER BY seq`,
    )
    return rows.all().map(row => {
      const value = JSON.parse(String(row.value))
      return {
        id: String(row.id),
        task: String(row.key),
        type: String(row.type),
        status: value.data.object.status,
        version: value.resource_version,
        attempt: value.data.object.attempt,
        ...(value.data.object.cost && { cost: value.data.object.cost.amount }),
      }
    })
  })
}

/** The history in each stored task. */
export function readHistories(file: string): StoredHistory[] {
  return readFrom(file, database => {
    const rows = database.prepare(`SELECT id, body ->> '$.history' AS history FROM tasks`)
    return rows.all().map(({ id, history }) => ({ id: String(id), entries: JSON.parse(String(history)) }))
  })
}

function readFrom<T>(file: string, read: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return read(database)
  } finally {
    database.close()
  }
}

interface ShownTask {
  readonly id: string
  readonly status: Final['status']
  readonly resource_version: number
  readonly attempt: number
  readonly output?: { readonly digit: number }
  readonly metadata?: { readonly key?: string }
}

function final(task: ShownTask): Final {
  const { id, status, resource_version: version, attempt, output, metadata } = task
  const key = metadata?.key
  return { id, status, version, attempt, answer: output?.digit, ...(key !== undefined && { key }) }
}
