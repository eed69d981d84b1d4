/**
 * A task over JSON Lines: what its record keeps of the lines that are done. Their results lie in parts, which outlive the
 * run that made them, and become one file when the task ends. docs/decisions/batch-tasks.md.
 */
import type { FencingToken } from '@millhand/lease'

export interface Lines {
  /** How many lines have a result that is kept. */
  readonly kept: number
  /** How many of those failed. */
  readonly failed: number
  /** What the parts have together. */
  readonly bytes: number
  /** In their order. */
  readonly parts: readonly LinesPart[]
}

/** Results that one run stored at once. Its attempt and its first line name it. */
export interface LinesPart {
  readonly attempt: number
  /** How many lines are before it. */
  readonly first: number
  readonly count: number
  readonly failed: number
  readonly bytes: number
}

/** Where a task over lines stands: `ended` until its parts are one file, or gone. */
export type LinesState = 'alive' | 'ended' | 'settled'

/** A run has stored a part. */
export interface PartStoredCause {
  readonly kind: 'part_stored'
  readonly held: FencingToken
  readonly part: Omit<LinesPart, 'attempt'>
}

/** The parts of an ended task are not needed any more. `file` has what they held, where nothing else does. */
export interface PartsSettledCause {
  readonly kind: 'parts_settled'
  readonly file?: string | undefined
}

export const noLines: Lines = { kept: 0, failed: 0, bytes: 0, parts: [] }
