/** What is counted of tasks when they end, and told of those that wait. */
import { type Id, idTime } from '@millhand/api'
import { parseTraceContext, processMetrics, type Sample } from '@millhand/telemetry'
import { acceptedAt, hasEnded, type TaskBase } from './task.ts'

/** `modelName`: a name of a bounded set, for what the task runs. */
export function createTaskMetrics<T extends TaskBase>(modelName: (task: T) => string) {
  const ended = new Map<string, (by?: number) => void>()
  const times = new Map<string, ReturnType<typeof timesOf>>()

  return {
    /** Hears of each change that this process has written. */
    written(before: T | undefined, after: T): void {
      if (!hasEnded(after) || after.is_fence || (before !== undefined && hasEnded(before))) return
      const { pool, status, started_at, finished_at } = after
      cached(ended, `${pool} ${status}`, () =>
        processMetrics.boundCounter('millhand_tasks_ended_total', { pool, status }),
      )()
      if (started_at === undefined || finished_at === undefined) return
      const model = modelName(after)
      const { wait, run } = cached(times, model, () => timesOf(model))
      const trace = parseTraceContext(after.traceparent)
      wait(Math.max(0, started_at - acceptedAt(after)) / 1000, trace)
      run(Math.max(0, finished_at - started_at) / 1000, trace)
    },
  }
}

const timesOf = (model: string) => ({
  wait: processMetrics.boundHistogram('millhand_task_wait_seconds', { model }),
  run: processMetrics.boundHistogram('millhand_task_run_seconds', { model }),
})

function cached<V>(values: Map<string, V>, key: string, make: () => V): V {
  const known = values.get(key)
  if (known !== undefined) return known
  const made = make()
  values.set(key, made)
  return made
}

const claims = new Map<string, (by?: number) => void>()

/** What was handed out of a pool that there is. */
export function countClaims(pool: string, runs: readonly { readonly work: readonly unknown[] }[]): void {
  let tasks = 0
  for (const { work } of runs) tasks += work.length
  if (tasks > 0) cached(claims, pool, () => processMetrics.boundCounter('millhand_claims_total', { pool }))(tasks)
}

interface Queue {
  readonly pool: string
  /** At most `limit`. */
  readonly count: (limit: number) => Promise<number>
  /** The id of the oldest that could run now. */
  readonly oldest: () => string | undefined
}

/** Tells of the queues of an owner until the signal ends. */
export function observeQueues(queues: readonly Queue[], now: () => number, signal: AbortSignal): void {
  if (signal.aborted) return
  const end = processMetrics.observe(async () => {
    const samples = await Promise.all(queues.map(queue => samplesOf(queue, now())))
    return samples.flat()
  })
  signal.addEventListener('abort', end, { once: true })
}

/** So that reading costs no more with a million that wait. */
const COUNTED = 10_000

async function samplesOf({ pool, count, oldest }: Queue, now: number): Promise<Sample[]> {
  const id = oldest()
  return [
    { name: 'millhand_queue_tasks', labels: { pool }, value: await count(COUNTED) },
    {
      name: 'millhand_queue_oldest_seconds',
      labels: { pool },
      value: id === undefined ? 0 : Math.max(0, now - idTime(id as Id)) / 1000,
    },
  ]
}
