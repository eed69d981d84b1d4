import type { SqliteDatabase } from '@millhand/store/sqlite'

export interface AppendNotifier {
  /** Resolves when there may be more after the event `seen`, or the signal has ended; at once if that was before. */
  rung(seen: number): Promise<void>
  stop(): void
}

/** A reader that is this many events behind is woken also by others' topics: it holds back trimming. */
export const FAR_BEHIND = 1000

/** Wakes a reader when a commit appends to one of its topics. */
export function appendNotifier(db: SqliteDatabase, topics: readonly string[], signal: AbortSignal): AppendNotifier {
  let rung = false
  let read = db.lastEvent
  let wake: (() => void) | undefined
  const ring = () => {
    rung = true
    wake?.()
  }
  const silence = db.onAppended(appended => {
    for (const topic of topics) if (appended.has(topic)) ring()
    if (db.lastEvent - read >= FAR_BEHIND) ring()
  })
  signal.addEventListener('abort', ring)
  return {
    async rung(seen) {
      read = seen
      if (!rung && !signal.aborted) {
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
      rung = false
      wake = undefined
    },
    stop() {
      silence()
      signal.removeEventListener('abort', ring)
    },
  }
}
