import type { SqliteDatabase } from '@millhand/store/sqlite'
import type { IsUrgent } from '../event-log.ts'

export interface AppendNotifier {
  /** To be called before a read: what is appended from then on is news. */
  reading(): void
  /** Resolves when there is news to read after the event `seen`, or the signal has ended; at once if that was before. */
  news(seen: number): Promise<void>
  stop(): void
}

/** A reader that is this many events behind is woken also by others' topics: it holds back trimming. */
export const FAR_BEHIND = 1000

/**
 * What nobody waits for is read so much later, together with what has come meanwhile: a read, what is done with it and the
 * save of the offset cost a task more than its own writes, and one for each event would be half of all work.
 */
export const REST_MS = 20

/** Wakes a reader `REST_MS` after a commit appends to one of its topics, and at once for an urgent event. */
export function appendNotifier(
  db: SqliteDatabase,
  topics: ReadonlySet<string>,
  signal: AbortSignal,
  isUrgent?: IsUrgent,
): AppendNotifier {
  let isDue = false
  let read = db.lastEvent
  let wake: (() => void) | undefined
  let timer: NodeJS.Timeout | undefined
  const ring = () => {
    clearTimeout(timer)
    timer = undefined
    isDue = true
    wake?.()
  }
  const ringLater = () => {
    if (!isDue) timer ??= setTimeout(ring, REST_MS)
  }
  const silence = db.onAppended(appended => {
    if (isDue) return
    for (const event of appended) {
      if (!topics.has(event.topic)) continue
      ringLater()
      if (isUrgent === undefined) break
      if (isUrgent(event)) return ring()
    }
    if (db.lastEvent - read >= FAR_BEHIND) ringLater()
  })
  signal.addEventListener('abort', ring)
  return {
    reading() {
      clearTimeout(timer)
      timer = undefined
      isDue = signal.aborted
    },
    async news(seen) {
      read = seen
      if (!isDue && !signal.aborted) {
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
      wake = undefined
    },
    stop() {
      clearTimeout(timer)
      silence()
      signal.removeEventListener('abort', ring)
    },
  }
}
