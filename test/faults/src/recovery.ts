/** How soon the system serves again: the time until a task that is created now has succeeded. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Clients } from './clients.ts'
import type { Random } from './random.ts'
import { digitRequest } from './task-requests.ts'

const EVERY_MS = 250
const MOST_AT_ONCE = 12

/**
 * Creates a task each quarter of a second, until one of them has succeeded, and resolves with the milliseconds that
 * took. Rejects after `limitMs`. All of them go into what the clients have seen.
 */
export async function untilATaskSucceeds(clients: Clients, random: Random, limitMs: number): Promise<number> {
  const began = performance.now()
  const found = new AbortController()
  const done = Promise.withResolvers<number>()
  let atOnce = 0
  const attempt = async () => {
    const task = { priority: 'high', max_attempts: 10 }
    while (!found.signal.aborted) {
      const seen = await clients.fulfil(digitRequest(random, { task, prefer: 'wait=2', act: 'look' }), found.signal)
      if (seen?.status === 'succeeded') done.resolve(performance.now() - began)
    }
  }
  const late = setTimeout(
    () => done.reject(new Error(`no task that was created has succeeded for ${limitMs} ms`)),
    limitMs,
  )
  void (async () => {
    while (!found.signal.aborted) {
      if (atOnce < MOST_AT_ONCE) {
        atOnce++
        // An attempt ends by the signal, in whatever it was doing.
        attempt().catch(() => {})
      }
      await pause(EVERY_MS)
    }
  })()
  try {
    return await done.promise
  } finally {
    clearTimeout(late)
    found.abort()
  }
}
