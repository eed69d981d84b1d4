/** The events of one engine, for as long as it answers and again once it is back. */
import type { Clock } from '@millhand/process'
import { DriverFault } from '../driver.ts'
import { type Engine, jsonLines } from './engine.ts'
import { DEPLOYMENT, filtersOf } from './labels.ts'

export interface EngineWatch {
  readonly engine: Engine
  readonly deployment: string
  readonly changed: () => void
  /** Hears when a container was started or has ended, in milliseconds since 1970. */
  readonly heard: (action: string, name: string, at: number) => void
  /** Asks the engine for something, every so often: one that doesn't answer is lost. */
  readonly ping: (signal: AbortSignal) => Promise<void>
  readonly clock: Clock
  readonly signal: AbortSignal
}

const PAUSE_MS = 1000
/** How long a host may be gone before that counts as a change: a connection to a machine without power says nothing. */
const PING_MS = 5000
const ENDS_MS = 5000

/** When containers have ended, in milliseconds since 1970, by name. An engine keeps its latest 256 events until it ends. */
export async function endsOf(
  engine: Engine,
  deployment: string,
  signal: AbortSignal,
  timeoutMs = ENDS_MS,
): Promise<Map<string, number>> {
  // By the engine's clock: it would wait for a time that is to come.
  const { SystemTime } = (await engine.call('GET', '/info', { signal })) as { readonly SystemTime: string }
  const until = (Date.parse(SystemTime) / 1_000).toFixed(3)
  const filters = filtersOf({ [DEPLOYMENT]: deployment }, { type: ['container'], event: ['die'] })
  const found = new Map<string, number>()
  const path = `/events?since=0&until=${until}&${filters}`
  const ended = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  try {
    for await (const event of jsonLines(await engine.stream('GET', path, { signal: ended })))
      found.set(...timeIn(event as unknown as EngineEvent))
    return found
  } catch (error) {
    signal.throwIfAborted()
    throw new DriverFault('unavailable', 'The container engine does not answer.', { cause: error })
  }
}

/** Starts and ends that were heard of: an engine that dies right after one forgets it. The latest, as many as an engine keeps. */
export function createHeardTimes() {
  const starts = new Map<string, number>()
  const ends = new Map<string, number>()
  return {
    starts,
    ends,
    note(action: string, name: string, at: number): void {
      const times = action === 'start' ? starts : action === 'die' ? ends : undefined
      times?.set(name, at)
      const [oldest] = times?.keys() ?? []
      if (oldest !== undefined && (times?.size ?? 0) > KEPT_TIMES) times?.delete(oldest)
    },
  }
}

const KEPT_TIMES = 256

const timeIn = ({ Actor, timeNano }: EngineEvent): [string, number] => [
  Actor.Attributes.name,
  Math.floor(timeNano / 1e6),
]

interface EngineEvent {
  readonly Action: string
  readonly Actor: { readonly Attributes: { readonly name: string } }
  readonly timeNano: number
}

/** Calls `changed` when the engine tells of a container, when it goes, and when it is back, until the signal fires. */
export function watchEngine({ engine, deployment, changed, heard, ping, clock, signal }: EngineWatch): void {
  const path = `/events?${filtersOf({ [DEPLOYMENT]: deployment }, { type: ['container'] })}`

  async function follow(ended: AbortSignal): Promise<void> {
    const stream = await engine.stream('GET', path, { signal: ended })
    changed() // What has happened while nobody listened.
    for await (const event of jsonLines(stream)) {
      const engineEvent = event as unknown as EngineEvent
      heard(engineEvent.Action, ...timeIn(engineEvent))
      changed()
    }
  }

  async function pingAll(ended: AbortSignal): Promise<void> {
    for (;;) {
      await clock.sleep(PING_MS, ended)
      await ping(ended)
    }
  }

  async function loop(): Promise<void> {
    while (!signal.aborted) {
      const stop = new AbortController()
      const ended = AbortSignal.any([signal, stop.signal])
      const both = [follow(ended), pingAll(ended)]
      // Either ends as the host is lost; it is tried again, whatever the fault.
      await Promise.race(both).catch(() => {})
      stop.abort()
      await Promise.allSettled(both)
      if (signal.aborted) return
      changed()
      await clock.sleep(PAUSE_MS, signal).catch(() => {})
    }
  }

  void loop()
}
