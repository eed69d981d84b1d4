/** How long a piece takes from the runner that emits it to a reader over HTTP. */
import { openEvents } from '@millhand/test-e2e/event-stream'
import { timeNow } from './emitting-runner.ts'
import { histogram } from './histogram.ts'
import { longInput } from './long-input.ts'

export interface Emitting {
  readonly url: string
  readonly key: string
  readonly chunks: number
  readonly intervalMs: number
  readonly signal?: AbortSignal
}

export interface StreamLatency {
  readonly received: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

/** Creates a task that emits so, and reads its stream to the end, or until the signal. */
export async function emitAndRead({ url, key, chunks, intervalMs, signal }: Emitting): Promise<StreamLatency> {
  const latencies = histogram()
  using stream = await openEvents(`${url}/v1/tasks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    // Of another model than the tasks beside it, for runs of one model wait for each other.
    json: {
      type: 'inference',
      model: 'spin',
      stream: true,
      input: longInput,
      parameters: { chunks, interval_ms: intervalMs },
    },
    ...(signal && { signal }),
  })
  if (stream.status !== 201) throw new Error(`the task was answered ${stream.status}: ${await stream.text()}`)
  try {
    for await (const { type, data } of stream) {
      if (type === 'task.output') latencies.record((timeNow() - data.output) * 1_000)
      else if (type === 'error' || type === 'task.failed') throw new Error(JSON.stringify(data))
    }
  } catch (error) {
    if (!signal?.aborted) throw error
  }
  return {
    received: latencies.count,
    p50: latencies.quantile(0.5) / 1_000,
    p99: latencies.quantile(0.99) / 1_000,
  }
}
