import type { WriteResult } from '../collection.ts'
import { HISTORY, type StoredDocument } from './stored-document.ts'
import type { Insertion, Update, WriteStatement } from './write-statement.ts'

/** What tells whether a write was made. A tombstone has no version. */
export type Trace = Pick<StoredDocument, 'version' | 'writes'>

/**
 * What became of a write of which no answer came, by what is in its place now. `open`: it has not been made, and may
 * still be, by a server that has the request or by asking again. `unknown`: so much was written since that it can't
 * be told.
 */
export function outcomeOf(write: WriteStatement, found: Trace | undefined): WriteResult | 'open' | 'unknown' {
  if (found?.writes.includes(write.token)) return written(write)
  return write.kind === 'insert' ? insertionOutcome(found) : updateOutcome(write, found)
}

/** What a write that was made is answered. */
export const written = ({ becomes }: Insertion | Update): WriteResult => ({ kind: 'written', version: becomes })

function insertionOutcome(found: Trace | undefined): ReturnType<typeof outcomeOf> {
  if (found === undefined) return 'open'
  const isWhole = found.writes.length < HISTORY
  if (found.version === undefined) return isWhole ? 'open' : 'unknown'
  return isWhole || found.version <= HISTORY ? { kind: 'conflict', index: 'primary' } : 'unknown'
}

function updateOutcome({ version }: Update, found: Trace | undefined): ReturnType<typeof outcomeOf> {
  if (found === undefined) return 'unknown'
  // Over a tombstone: another insertion was faster, or it is still there.
  if (version === undefined) return insertionOutcome(found)
  const lost = { kind: 'conflict', index: 'version' } as const
  if (found.version === undefined) return found.writes.length < HISTORY ? lost : 'unknown'
  if (found.version === version) return 'open'
  if (found.version < version) return 'unknown' // It was removed and inserted again.
  return found.version - version <= HISTORY ? lost : 'unknown'
}
