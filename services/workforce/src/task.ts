/** A task as the workforce stores it. REST shows the part that `task-message.ts` picks; what it lives through is `TaskBase`. */
import { workIndexes } from '@millhand/lease'
import type { CollectionSpec } from '@millhand/store'
import type { TaskBase } from '@millhand/task'

export interface TaskRecord extends TaskBase {
  /** The account's workforce plan when it was made: it says how much of the executors is its share. */
  readonly plan: string
  readonly employee: string
  /** The kind of work. With the employee it is `group` in the words of leasing. */
  readonly task: string
  /** What does it: every run of it has the same engine. */
  readonly engine: 'llm' | 'rules' | 'mock'
  /** Files of the account that belong to the brief, as they were when it was made. */
  readonly files: readonly AttachedFile[]
  /** Millionths of a dollar, like every amount here. */
  readonly max_cost_micros?: number | undefined
  /** What language models have cost in runs that were tried again, and may have cost in those that were lost. */
  readonly spent_micros?: number | undefined
  readonly usage?: Usage | undefined
  /** Files that its output names. */
  readonly artifacts?: readonly string[] | undefined
}

export interface AttachedFile {
  readonly id: string
  readonly name: string
  readonly media_type: string
  readonly bytes: number
}

export interface Usage {
  readonly queue_ms: number
  readonly compute_ms: number
  readonly input_tokens: number
  readonly output_tokens: number
}

export const tasksSpec = {
  name: 'workforce_tasks',
  indexes: workIndexes,
  refusedWhenFull: true,
} as const satisfies CollectionSpec

export const emissionsSpec = { name: 'workforce_emissions', indexes: {} } as const satisfies CollectionSpec

export const unsettledSpec = { name: 'workforce_unsettled_files', indexes: {} } as const satisfies CollectionSpec

export type TaskIndex = keyof typeof tasksSpec.indexes
