/** What makes one kind of task another than the next, beside its record. */
import type { IdPrefix, KeyMode } from '@millhand/api'
import type { TaskBase } from './task.ts'

export interface TaskKind<T extends TaskBase> {
  /** What its ids begin with: `task`. */
  readonly idPrefix: IdPrefix
  /** What the types of its events begin with: `task.`. */
  readonly eventPrefix: string
  /** Where its events go. */
  readonly topic: string
  /** The public JSON of a task as lists show it, with the output where that is given. Events carry it. */
  readonly write: (task: T, output: string | undefined) => string
  /** The pool of a mode's tasks: live and test work never share one. */
  readonly poolOf: (mode: KeyMode) => string
  /** The pools beside that one, whose executors have slots of their own: tasks that take long keep no others waiting. */
  readonly otherPoolsOf?: (mode: KeyMode) => readonly string[]
  /** What the names of blobs begin with that are its large inputs, and no others: `inputs/`. */
  readonly inputsAt: string
}
