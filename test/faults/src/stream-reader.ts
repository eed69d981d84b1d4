/** Readers of one task's stream that come back, to whichever gateway, until they have its end. */
import { setTimeout as pause } from 'node:timers/promises'
import { openEvents, type StreamEvent } from '@millhand/test-e2e/event-stream'
import type { Random } from './random.ts'

export interface ReaderOptions {
  /** Where the gateways are. */
  readonly urls: () => readonly string[]
  readonly key: string
  readonly task: string
  readonly random: Random
  /** How often in a thousand events the reader leaves by itself. */
  readonly leaves?: number
  /** Told of each event. */
  readonly onEvent: () => void
  readonly signal: AbortSignal
}

export interface Read {
  readonly events: readonly StreamEvent[]
  /** How often it had to come back, or did. */
  readonly returns: number
  /** `error` events that it was told. */
  readonly errors: readonly StreamEvent[]
}

const ends = new Set(['task.succeeded', 'task.failed', 'task.cancelled', 'task.expired'])
export const isEnd = ({ type }: StreamEvent): boolean => ends.has(type)

/** Longer than a heartbeat: a stream that is silent for so long has lost its server without hearing of it. */
const SILENCE_MS = 20_000

/** Rejects with the signal's reason. */
export async function readToEnd(options: ReaderOptions): Promise<Read> {
  const { urls, key, task, random, leaves = 0, onEvent, signal } = options
  const events: StreamEvent[] = []
  const errors: StreamEvent[] = []
  let returns = -1
  while (!signal.aborted) {
    returns++
    const list = urls()
    const url = `${list[random.between(0, list.length - 1)]}/v1/tasks/${task}/events`
    const last = events.at(-1)?.id
    const headers = { authorization: `Bearer ${key}`, ...(last !== undefined && { 'last-event-id': last }) }
    const silent = new AbortController()
    let timer = setTimeout(() => silent.abort(), SILENCE_MS)
    try {
      using stream = await openEvents(url, { headers, signal: AbortSignal.any([signal, silent.signal]) })
      if (stream.status === 204) return { events, returns, errors }
      if (stream.status !== 200 && stream.status < 500) throw new Wrong(`${stream.status} ${await stream.text()}`)
      for await (const event of stream) {
        clearTimeout(timer)
        timer = setTimeout(() => silent.abort(), SILENCE_MS)
        if (event.type === 'error') {
          errors.push(event)
          break
        }
        events.push(event)
        onEvent()
        if (isEnd(event)) return { events, returns, errors }
        if (random.next() * 1_000 < leaves) break
      }
    } catch (error) {
      if (error instanceof Wrong) throw error
      // The connection broke, or none could be had: that is what coming back is for.
    } finally {
      clearTimeout(timer)
    }
    await pause(random.between(20, 400), undefined, { signal })
  }
  throw signal.reason
}

/** An answer that no reader should get, whatever has died. */
class Wrong extends Error {}
