/**
 * What one task used and costs: the entry of the ledger, one small document for each task that has ended, made once from
 * the event of its end.
 */
import type { Collection, CollectionSpec, Document } from '@millhand/store'

export const endings = ['succeeded', 'failed', 'cancelled', 'expired'] as const
export type Ending = (typeof endings)[number]

/** Its id is the task's: a task is counted once, however often its event comes. */
export interface EntryRecord extends Document {
  /** Milliseconds since 1970. */
  readonly finished_at: number
  readonly model: string
  /** Of task. */
  readonly type: string
  /** What it ran on; `none` for a task that ended before a run. */
  readonly gpu_type: string
  /** The account's own instance that ran it, which is billed by itself: its compute costs nothing. */
  readonly instance?: string
  readonly ending: Ending
  readonly compute_ms: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly items: number
  /** Millionths of a dollar. */
  readonly cost_micros: number
  /** The event of the task's end; not in entries of before there were ledgers, nor is what follows. */
  readonly event_id?: string
  readonly unit_nanos?: number
  /** Absent if 0. */
  readonly token_micros?: number
  /** Absent if equal to `cost_micros`. */
  readonly would_micros?: number
  /** Whether it is in the sums of the tenant's ledger. */
  readonly posted?: 'yes'
  /** The month and the line in which it is billed. */
  readonly line?: string
}

export const entriesSpec = {
  name: 'usage_entries',
  indexes: {
    by_end: { fields: ['tenant', 'finished_at'] },
    by_line: { fields: ['tenant', 'line', 'finished_at'], when: { field: 'posted', in: ['yes'] } },
  },
} as const satisfies CollectionSpec

/** The same of the workforce's tasks. */
export const workforceEntriesSpec = { ...entriesSpec, name: 'workforce_usage_entries' } as const

/** The same of parts of runs of instances. */
export const instanceEntriesSpec = { ...entriesSpec, name: 'instance_usage_entries' } as const

export type Entries = Pick<Collection<EntryRecord, keyof typeof entriesSpec.indexes>, 'find' | 'write'>

/** How many are read at once: some 3 ms of the event loop. */
const PAGE = 1_000

/** The entries of the tasks of a tenant that ended from `start` until before `end`, in pages, the earliest first. */
export async function* entriesBetween(entries: Entries, tenant: string, start: number, end: number) {
  let after: readonly (number | string)[] = [start - 1]
  for (;;) {
    const page = await entries.find('by_end', { equals: [tenant], after, before: [end], limit: PAGE })
    if (page.length > 0) yield page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = [last.finished_at, last.id]
  }
}
