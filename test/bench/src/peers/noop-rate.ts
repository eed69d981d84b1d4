/**
 * No-op tasks a second as the peers' job queues are measured: 64 connections create as fast as they can, none waits for
 * an end, and the backlog is drained. Tasks that ended, over the time from the first create to the last end.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Server } from '@millhand/test-e2e/server'
import { digitsTasks } from '../digits-task.ts'
import { plansWith } from '../plans-file.ts'
import type { Workbench } from '../workbench.ts'
import { wrk } from './wrk.ts'

const CONNECTIONS = 64
const WARM_UP_S = 3
const PAGE = 100

interface NoopRound {
  readonly perSecond: number
  /** Creates alone, while they were sent. */
  readonly createsPerSecond: number
}

/** A server of its own, as each of the peers has, with a warm-up. */
export async function noopRate(workbench: Workbench): Promise<NoopRound> {
  const folder = workbench.folder()
  const env = plansWith('max_queued', 1_000_000_000, folder)
  await using server = await workbench.server({ shape: 'noop', env })
  // The runner does nothing with the picture, which is some 160 bytes more than a peer's job.
  const [task] = await digitsTasks(server)
  const body = task?.body ?? ''
  const load = { url: `${server.url}/v1/tasks`, key: server.key, body, connections: CONNECTIONS, folder }
  await wrk({ ...load, seconds: WARM_UP_S })
  await drained(server)
  const began = Date.now()
  const { requests, rps } = await wrk({ ...load, seconds: workbench.seconds })
  await drained(server)
  const { count, last } = await endedSince(server, began)
  if (count < requests) throw new Error(`${requests} tasks were created, and ${count} have succeeded.`)
  return { perSecond: (count * 1_000) / (last - began), createsPerSecond: rps }
}

/** Tasks of one account start in the order of their creation: with the newest, all have ended, or are about to. */
async function drained(server: Server): Promise<void> {
  for (;;) {
    const { body: page } = await server.request('GET', `/v1/tasks?limit=${PAGE}`)
    if (page.data.every(({ finished_at }: { finished_at?: string }) => finished_at !== undefined)) return
    await pause(100)
  }
}

/** How many tasks were created since and have succeeded, and when the last one ended (ms since 1970). */
async function endedSince(server: Server, since: number): Promise<{ count: number; last: number }> {
  let count = 0
  let last = 0
  const after = `limit=${PAGE}&created_after=${encodeURIComponent(new Date(since).toISOString())}`
  for (let cursor = ''; ; ) {
    const { body: page } = await server.request('GET', `/v1/tasks?${after}${cursor}`)
    if (page.data.some(({ finished_at }: { finished_at?: string }) => finished_at === undefined)) {
      await pause(100)
      continue
    }
    for (const { id, status, finished_at } of page.data) {
      if (status !== 'succeeded') throw new Error(`${id} is ${status}.`)
      count += 1
      last = Math.max(last, Date.parse(finished_at))
    }
    if (!page.has_more) return { count, last }
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
}
