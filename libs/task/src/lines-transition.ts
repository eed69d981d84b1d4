/** What becomes of a task's lines. Pure. */
import { type Refusal, refuse } from '@millhand/lease'
import { type LinesPart, noLines, type PartStoredCause, type PartsSettledCause } from './lines.ts'
import type { TaskBase } from './task.ts'

/** The task with one part more. Refuses as `counted` one that it has, and as `not_next` one that leaves a gap. Pure. */
export function partStored<T extends TaskBase>(task: T, { held, part }: PartStoredCause): T | Refusal {
  const { kept, failed, bytes, parts } = task.lines ?? noLines
  const next: LinesPart = { ...part, attempt: held.attempt }
  const last = parts.at(-1)
  if (last?.attempt === next.attempt && last.first === next.first && last.count === next.count) return refuse('counted')
  if (part.first !== kept) return refuse('not_next')
  const lines = {
    kept: kept + part.count,
    failed: failed + part.failed,
    bytes: bytes + part.bytes,
    parts: [...parts, next],
  }
  return { ...task, lines }
}

/** An ended task without its parts. No change of state. Pure. */
export function partsSettled<T extends TaskBase>(task: T, { file }: PartsSettledCause): T | Refusal {
  if (task.lines_state !== 'ended') return refuse('not_ended')
  const isWanted = file !== undefined && task.output_file === undefined && task.data_deleted_at === undefined
  const lines = task.lines && { ...task.lines, parts: [] }
  return { ...task, lines, lines_state: 'settled', ...(isWanted && { output_file: file }) }
}
