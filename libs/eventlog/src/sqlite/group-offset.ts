import type { SqliteDatabase } from '@millhand/store/sqlite'
import { FAR_BEHIND } from './append-notifier.ts'

/** Where a group stands: the last event that it is done with. */
export interface GroupOffset {
  readonly seq: number
  /** Moves on. `handled`: events of its topics are done; else only others' were passed over. */
  moveTo(seq: number, handled: boolean): void
  /** Resolves when the offset is in the file as far as that went well. */
  saved(): Promise<void>
}

/** The offset of the group; a new group's is the log's beginning, and from now on keeps the log from being trimmed. */
export async function groupOffsetOf(db: SqliteDatabase, group: string): Promise<GroupOffset> {
  const stored = () =>
    db.read<[number]>('SELECT seq FROM event_subscriptions WHERE subscriber_group = ?', group)[0]?.[0]
  if (stored() === undefined) await db.execute('INSERT INTO event_subscriptions VALUES (?, 0)', group)
  let seq = stored() ?? 0
  let kept = seq
  let wanted = seq
  let saving: Promise<void> | undefined

  /** One save at a time, of the newest offset: the handler does not wait for it, and a batch is not a commit each. */
  async function save(): Promise<void> {
    while (kept < wanted) {
      const next = wanted
      try {
        await db.execute('UPDATE event_subscriptions SET seq = ? WHERE subscriber_group = ?', next, group)
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
    saved: async () => saving,
  }
}
