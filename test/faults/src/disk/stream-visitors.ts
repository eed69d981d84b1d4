/** Clients that create tasks with `stream: true` and write down what the streams tell. */
import { setTimeout as pause } from 'node:timers/promises'
import { openEvents } from '@millhand/test-e2e/event-stream'
import { isEnd } from '../stream-reader.ts'
import { digits } from '../task-requests.ts'

export interface Heard {
  readonly task: string
  /** Its events, in the order in which they came, and when, by `performance.now()`. */
  readonly events: { readonly type: string; readonly at: number }[]
}

export interface StreamVisitorOptions {
  readonly url: string
  readonly key: string
  readonly visitors: number
  /** No more are begun once it is aborted. */
  readonly signal: AbortSignal
}

/** A stream that is still open so long after the last was begun never ends. */
const ENDS_MS = 300_000

/** Of a stream that was answered and broke off before its first event the task is not known. */
export function createStreamVisitors({ url, key, visitors, signal }: StreamVisitorOptions) {
  const heard: Heard[] = []
  const stuck: string[] = []
  const late = new AbortController()

  async function visit(n: number): Promise<void> {
    const input = JSON.stringify(digits[n % digits.length]?.pixels)
    const json = { type: 'inference', model: 'digits', input, stream: true }
    const headers = { authorization: `Bearer ${key}` }
    using stream = await openEvents(`${url}/v1/tasks`, { method: 'POST', headers, json, signal: late.signal })
    if (stream.status !== 201) return void (await pause(100))
    let told: Heard | undefined
    const onLate = () => stuck.push(`${told?.task ?? 'a task'} after ${told?.events.length ?? 0} events`)
    late.signal.addEventListener('abort', onLate)
    using _ = { [Symbol.dispose]: () => late.signal.removeEventListener('abort', onLate) }
    for await (const event of stream) {
      if (event.type === 'error') return
      if (told === undefined) {
        told = { task: event.data.task_id, events: [] }
        heard.push(told)
      }
      told.events.push({ type: event.type, at: performance.now() })
      if (isEnd(event)) return
    }
  }

  return {
    /** Streams that never ended, in words. */
    stuck: stuck as readonly string[],
    async run(): Promise<readonly Heard[]> {
      const visitor = async (first: number) => {
        // A stream may break off: what it told until then counts.
        for (let n = first; !signal.aborted; n += visitors) await visit(n).catch(() => pause(50))
      }
      let timer: NodeJS.Timeout | undefined
      signal.addEventListener('abort', () => {
        timer = setTimeout(() => late.abort(), ENDS_MS)
      })
      await Promise.all(Array.from({ length: visitors }, (_, first) => visitor(first)))
      clearTimeout(timer)
      return heard
    },
  }
}
