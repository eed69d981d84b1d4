/** How far the event log has been read: one document. */
import type { Clock, Timer } from '@millhand/process'
import { type Collection, type CollectionSpec, type Document, noAccount } from '@millhand/store'

export interface OffsetRecord extends Document {
  /** Of the last event that is archived with all its deliveries, as `tail` takes it. */
  readonly position: string
  /** What happened before is passed over, since 1970 in milliseconds: an earlier offset was lost, and the log begun anew. */
  readonly since: number
}

/** The collection keeps its first name: databases have it. */
export const offsetsSpec = { name: 'places', indexes: {} } as const satisfies CollectionSpec

export type Offsets = Pick<Collection<OffsetRecord>, 'get' | 'write'>

export interface Offset {
  /** Where to read on; the log's beginning where nothing was read yet. */
  readonly position: string
  /** What happened before is passed over; 0 for all. */
  readonly since: number
  /** Rejects when it can't be stored, and when another owner has moved it. One call at a time. */
  moveTo(position: string, since: number): Promise<void>
}

export async function openOffset(offsets: Offsets): Promise<Offset> {
  const stored = await offsets.get(noAccount, ID)
  let version = stored?.version ?? 0
  return {
    position: stored?.position ?? 'beginning',
    since: stored?.since ?? 0,
    async moveTo(position, since) {
      const document = { tenant: noAccount, id: ID, position, since }
      const change =
        version === 0
          ? ({ kind: 'insert', document, events: [] } as const)
          : ({ kind: 'replace', version, document, events: [] } as const)
      const result = await offsets.write(change)
      if (result.kind === 'conflict') throw new Error('another owner has moved the offset in the event log')
      version = result.version
    },
  }
}

const ID = 'intake'

/** How long an offset past events that nobody asks for may be unsaved. */
const LATER_MS = 1_000

export interface SavedOffset {
  /** Saves the offset now, or `later` with those that follow. Rejects where the save before has failed. */
  moveTo(position: string, since: number, later: boolean): Promise<void>
  /** Saves what is unsaved. Rejects where that fails. */
  close(): Promise<void>
}

/** Saves an offset beside the reading, one save at a time, of the newest: what is read again after a crash changes nothing. */
export function savedOffset(offset: Pick<Offset, 'moveTo'>, clock: Pick<Clock, 'timer'>): SavedOffset {
  let unsaved: { readonly position: string; readonly since: number } | undefined
  let timer: Timer | undefined
  let saving = Promise.resolve()

  async function saveAfter(before: Promise<void>): Promise<void> {
    await before
    const next = unsaved
    unsaved = undefined
    if (next) await offset.moveTo(next.position, next.since)
  }
  function save(): void {
    timer?.cancel()
    timer = undefined
    saving = saveAfter(saving)
    saving.catch(() => undefined) // It is waited for by the next move, or by `close`.
  }
  return {
    async moveTo(position, since, later) {
      await saving
      unsaved = { position, since }
      if (later) timer ??= clock.timer(LATER_MS, save)
      else save()
    },
    async close() {
      save()
      await saving
    },
  }
}
