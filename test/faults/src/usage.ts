/** What billing has counted of the events, against the tasks as the store has them. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer } from '@millhand/test-e2e/http'
import type { Final } from './history-checks.ts'

type Ask = (method: string, path: string) => Promise<Answer>

/** Waits until every task is counted, once; after `limitMs` it says in words what is counted instead. */
export async function usageFaults(ask: Ask, finals: readonly Final[], limitMs: number): Promise<string[]> {
  const wanted: Record<string, number> = { succeeded: 0, failed: 0, cancelled: 0, expired: 0 }
  for (const { status } of finals) wanted[status] = (wanted[status] ?? 0) + 1
  const deadline = performance.now() + limitMs
  for (;;) {
    const { status, body } = await ask('GET', '/v1/usage')
    const counted = status === 200 ? body.total.tasks : undefined
    if (counted && Object.entries(wanted).every(([ending, tasks]) => counted[ending] === tasks)) return []
    if (performance.now() > deadline) {
      const seen = counted ? JSON.stringify(counted) : `answer ${status}`
      return [`usage counts ${seen} where the store has ${JSON.stringify(wanted)}`]
    }
    await pause(300)
  }
}
