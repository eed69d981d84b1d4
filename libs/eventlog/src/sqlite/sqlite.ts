/** The event log in the store's own file: appending is an insert in the transaction of the change. */

import type { SqliteDatabase } from '@millhand/store/sqlite'
import type { EventLog, IsUrgent } from '../event-log.ts'
import { type Handler, handled } from '../handler.ts'
import { appendNotifier, FAR_BEHIND } from './append-notifier.ts'
import { createCatchUp } from './catch-up.ts'
import { newest, readAfter, seqOf, skipTrimmed } from './read.ts'

export { sqliteArchive } from './archive.ts'
export { type Trimmed, type TrimOptions, trimLog } from './retention.ts'

export interface SqliteEventLogOptions {
  /** Whether requests are being answered: readers that are behind leave them most of the time then. */
  readonly isBusy?: () => boolean
}

export interface SqliteEventLog extends EventLog {
  /** How many events each group that is read here has not looked at yet; 0 for one that sleeps until there is more. */
  groupsBehind(): ReadonlyMap<string, number>
}

/**
 * Readers sleep until a commit appends to one of their topics; nothing is polled, and while there are none an event
 * costs nothing but its row. What is not urgent is read 20 ms later, with all that has come meanwhile. Of the subscribers
 * of one group one is active, the others wait for it to end.
 */
export function sqliteEventLog(
  db: SqliteDatabase,
  { isBusy = () => false }: SqliteEventLogOptions = {},
): SqliteEventLog {
  const behind = new Map<string, () => number>()
  /** For each group the end of the last subscription that was asked for. */
  const lastOf = new Map<string, Promise<void>>()

  return {
    async subscribe(group, topics, handler, signal) {
      const before = lastOf.get(group) ?? Promise.resolve()
      const own = Promise.withResolvers<void>()
      lastOf.set(
        group,
        Promise.all([before, own.promise]).then(() => undefined),
      )
      try {
        await Promise.race([before, ended(signal)])
        if (!signal.aborted) await deliver(db, { group, topics, handler, signal, isBusy, behind })
      } finally {
        own.resolve()
      }
    },

    tail(topics, from, signal, isUrgent) {
      return tail(db, { topics, start: startOf(db, from), signal, isUrgent, isBusy })
    },

    async progress(topics, position) {
      const end = newest(db, topics)
      return { read: Math.min(skipTrimmed(db, startOf(db, position)), end), end }
    },

    groupsBehind: () => new Map([...behind].map(([group, events]) => [group, events()])),
  }
}

interface Reader {
  readonly topics: readonly string[]
  readonly signal: AbortSignal
  readonly isUrgent?: IsUrgent | undefined
  readonly isBusy: () => boolean
}

interface GroupReader extends Reader {
  readonly group: string
  readonly handler: Handler
  /** Tells for each group, while it is read, how many events it has not looked at. */
  readonly behind: Map<string, () => number>
}

async function deliver(db: SqliteDatabase, { group, handler, behind, ...reader }: GroupReader): Promise<void> {
  const offset = await groupOffsetOf(db, group)
  // One that sleeps has passed over none but events of other topics.
  let isAsleep = false
  behind.set(group, () => (isAsleep ? 0 : Math.max(0, db.lastEvent - offset.seq)))
  try {
    for await (const { events, upTo, isLast } of batches(db, reader, offset.seq)) {
      isAsleep = false
      if (events.length > 0 && !(await handled(events, handler, reader.signal))) return
      offset.moveTo(upTo, events.length > 0)
      isAsleep = isLast
    }
  } finally {
    behind.delete(group)
    await offset.saved()
  }
}

async function* tail(db: SqliteDatabase, { start, ...reader }: Reader & { readonly start: number }) {
  for await (const { events } of batches(db, reader, start)) if (events.length > 0) yield events
}

/**
 * Batches of events after `start` as they come, some empty, each with the `seq` up to which all was seen. After the last
 * that is there it sleeps.
 */
async function* batches(db: SqliteDatabase, { topics, signal, isUrgent, isBusy }: Reader, start: number) {
  const appended = appendNotifier(db, new Set(topics), signal, isUrgent)
  const catchUp = createCatchUp(isBusy)
  let seq = skipTrimmed(db, start)
  try {
    while (!signal.aborted) {
      appended.reading()
      const end = db.lastEvent
      const batch = readAfter(db, topics, seq, catchUp.nextBatch(end))
      yield { ...batch, isLast: batch.upTo >= end }
      seq = batch.upTo
      await (seq < end ? catchUp.pause(signal) : appended.news(seq))
    }
  } finally {
    appended.stop()
  }
}

function startOf(db: SqliteDatabase, from: string): number {
  if (from === 'end') return db.lastEvent
  const seq = seqOf(from)
  if (seq === undefined) throw new RangeError(`not a position in the log: ${from}`)
  return seq
}

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Where a group stands: the last event that it is done with. */
interface GroupOffset {
  readonly seq: number
  /** Moves on. `handled`: events of its topics are done; else only others' were passed over. */
  moveTo(seq: number, handled: boolean): void
  /** Resolves when the place is in the file as far as that went well. */
  saved(): Promise<void>
}

/** The group's place; a new group's is the log's beginning, and from now on keeps the log from being trimmed. */
async function groupOffsetOf(db: SqliteDatabase, group: string): Promise<GroupOffset> {
  const stored = () =>
    db.read<[number]>('SELECT seq FROM event_subscriptions WHERE subscriber_group = ?', group)[0]?.[0]
  if (stored() === undefined) await db.execute('INSERT INTO event_subscriptions VALUES (?, 0)', group)
  let seq = stored() ?? 0
  let kept = seq
  let wanted = seq
  let saving: Promise<void> | undefined
  let isEnding = false

  /**
   * One save at a time, of the newest place: the handler does not wait for it, and it is no commit of its own. What is lost
   * of it with the process is read again, at most a second of events.
   */
  async function save(): Promise<void> {
    while (kept < wanted) {
      const next = wanted
      try {
        const execute = isEnding ? db.execute : db.executeIdle
        await execute('UPDATE event_subscriptions SET seq = ? WHERE subscriber_group = ?', next, group)
      } catch {
        // The store can't write now (a full disk). The next batch tries again; until then a restart repeats events.
        break
      }
      kept = next
    }
    saving = undefined
  }

  return {
    get seq() {
      return seq
    },
    moveTo(to, handled) {
      seq = to
      if (!handled && to - wanted < FAR_BEHIND) return
      wanted = to
      saving ??= save()
    },
    async saved() {
      isEnding = true
      db.hurry()
      await saving
    },
  }
}
