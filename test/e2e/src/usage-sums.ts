/** What is used, as it is counted and as the tasks themselves say. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Wire } from './http.ts'

/** The answer when so many tasks are counted; it follows them within seconds. */
export async function counted(ask: () => Promise<{ readonly status: number; readonly body: Wire }>, tasks: number) {
  const deadline = performance.now() + 300_000
  for (;;) {
    const { status, body } = await ask()
    const all = status === 200 ? Object.values<number>(body.total.tasks).reduce((sum, count) => sum + count, 0) : 0
    if (all >= tasks) return body
    assert.ok(performance.now() < deadline, `${all} of ${tasks} tasks are counted: ${JSON.stringify(body)}`)
    await pause(50)
  }
}

/** What usage should say of tasks, by what REST shows of each. */
export function sumOf(tasks: readonly Wire[]): Wire {
  const sum = (of: (task: Wire) => number | undefined) => tasks.reduce((all, task) => all + (of(task) ?? 0), 0)
  const by = (status: string) => tasks.filter(task => task.status === status).length
  return {
    tasks: {
      succeeded: by('succeeded'),
      failed: by('failed'),
      cancelled: by('cancelled'),
      expired: by('expired'),
    },
    compute_seconds: sum(task => task.usage?.compute_ms) / 1000,
    input_tokens: sum(task => task.usage?.input_tokens),
    output_tokens: sum(task => task.usage?.output_tokens),
    items: sum(task => task.usage?.items),
    cost: { amount: (sum(task => Number(task.cost?.amount ?? 0) * 1e6) / 1e6).toFixed(6), currency: 'USD' },
  }
}
