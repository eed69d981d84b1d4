import type { SqliteDatabase } from '@millhand/store/sqlite'
import { FAR_BEHIND } from './append-notifier.ts'
import { seqOf } from './read.ts'

export interface TrimOptions {
  /** Older events may go: milliseconds since 1970. */
  readonly before: number
  /** Those who read by `tail` and keep their own places: their names, and the positions that they have stored. */
  readonly tails: Readonly<Record<string, string>>
  /** What groups and tails read, by their names; all topics where one is not named. */
  readonly topics?: Readonly<Record<string, readonly string[]>>
}

export interface Trimmed {
  /** How many events went. */
  readonly events: number
  /** Who has not read the oldest event, which would have gone otherwise: groups and tails. */
  readonly heldBy: readonly string[]
}

/** Deletes events that are old enough and that every reader has behind it. One that is not read stays, however old. */
export async function trimLog(db: SqliteDatabase, { before, tails, topics = {} }: TrimOptions): Promise<Trimmed> {
  // Who can't read its place begins anew, at the beginning.
  const places = Object.entries(tails).map(([name, position]) => [name, seqOf(position) ?? 0] as const)
  const events = await db.trimEvents(before, Math.min(...places.map(([, seq]) => seq)))
  const [oldest] = db.read<[number]>('SELECT seq FROM event_log ORDER BY seq LIMIT 1')
  const groups = db.read<[string, number]>('SELECT subscriber_group, seq FROM event_subscriptions')
  const heldBy = [...groups, ...places].flatMap(([name, seq]) =>
    oldest !== undefined && seq < oldest[0] && isBehind(db, seq, before, topics[name]) ? [name] : [],
  )
  return { events, heldBy }
}

/**
 * Whether an old event that is not the newest has not been read. A reader does not store its place for each event of
 * others' topics that it passes over: those are none that it holds, up to twice as many as make it move on.
 */
function isBehind(db: SqliteDatabase, seq: number, before: number, topics: readonly string[] | undefined): boolean {
  const window = seq + 2 * FAR_BEHIND
  const mine = topics === undefined ? '' : `topic IN (${topics.map(() => '?').join(', ')}) OR`
  const [found] = db.read<[number]>(
    `SELECT 1 FROM event_log WHERE seq > ? AND seq < ? AND time < ? AND (${mine} seq > ?) LIMIT 1`,
    ...[seq, db.lastEvent, before, ...(topics ?? []), topics === undefined ? seq : window],
  )
  return found !== undefined
}
