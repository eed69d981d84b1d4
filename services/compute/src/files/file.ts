/** A file as compute stores it. Its bytes lie in a blob that a contents document has. */
import type { CollectionSpec, Document } from '@millhand/store'

export type Purpose = 'input' | 'model' | 'dataset' | 'output'

export interface StoredFile extends Document {
  /** Whether it stays until it is removed, or expires before. */
  readonly fate: 'stays' | 'expires'
  /** Milliseconds since 1970, like every time here. A file that expires is gone from then on, swept or not. */
  readonly due_at?: number | undefined
  readonly purpose: Purpose
  readonly filename: string
  readonly media_type: string
  readonly bytes: number
  readonly sha256: string
  /** The contents document that has its bytes. */
  readonly content: string
  readonly metadata: Readonly<Record<string, string>>
  readonly created_at: number
}

/** What is left of a removed file for a day, so that removing it again is answered as the first time. */
export interface RemovedFile extends Document {
  readonly fate: 'removed'
  /** When this goes too. */
  readonly due_at: number
  /** The intent that removed it: that one alone gives back its bytes. */
  readonly removed_by: string
}

export type FileRecord = StoredFile | RemovedFile

export const filesSpec = {
  name: 'files',
  indexes: { due: { fields: ['due_at'], when: { field: 'fate', in: ['expires', 'removed'] } } },
} as const satisfies CollectionSpec

/** Whether callers see it. */
export const isThere = (file: FileRecord | undefined, now: number): file is StoredFile =>
  file !== undefined && (file.fate === 'stays' || (file.fate === 'expires' && (file.due_at ?? 0) > now))

const REMEMBERED_MS = 86_400_000

export const removedFile = (
  tenant: string,
  id: string,
  removed_by: string,
  now: number,
): Omit<RemovedFile, 'version'> => ({
  tenant,
  id,
  fate: 'removed',
  due_at: now + REMEMBERED_MS,
  removed_by,
})
