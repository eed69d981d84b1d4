import type { SqliteDatabase } from '@millhand/store/sqlite'
import { seqOf } from './read.ts'

export interface TrimOptions {
  /** Older events may go: milliseconds since 1970. */
  readonly before: number
  /** Those who read by `tail` and keep their own places: their names, and the positions that they have stored. */
  readonly tails: Readonly<Record<string, string>>
}

export interface Trimmed {
  /** How many events went. */
  readonly events: number
  /** Who has not read the oldest event, which would have gone otherwise: groups and tails. */
  readonly heldBy: readonly string[]
}

/** Deletes events that are old enough and that every reader has behind it. One that is not read stays, however old. */
export async function trimLog(db: SqliteDatabase, { before, tails }: TrimOptions): Promise<Trimmed> {
  // Who can't read its place begins anew, at the beginning.
  const places = Object.entries(tails).map(([name, position]) => [name, seqOf(position) ?? 0] as const)
  const events = await db.trimEvents(before, Math.min(...places.map(([, seq]) => seq)))
  const [oldest] = db.read<[number, number]>('SELECT seq, time FROM event_log ORDER BY seq LIMIT 1')
  if (oldest === undefined || oldest[0] === db.lastEvent || oldest[1] >= before) return { events, heldBy: [] }
  const groups = db.read<[string, number]>('SELECT subscriber_group, seq FROM event_subscriptions')
  return { events, heldBy: [...groups, ...places].flatMap(([name, seq]) => (seq < oldest[0] ? [name] : [])) }
}
