/** A file as compute stores it. Its bytes lie in a blob that a contents document has. */
import type { CollectionSpec, Document } from '@millhand/store'

export type Purpose = 'input' | 'model' | 'dataset' | 'output'

export interface StoredFile extends Document {
  /** What made it: two uploads of one operation leave one file. Its own id where nothing is said. */
  readonly operation: string
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
  /** Of an output: the run that stored it. */
  readonly output_of?: string | undefined
}

/** A run of a task, in one word: there is one of each attempt. */
export const runOf = (task: string, attempt: number): string => `${task}/${attempt}`

/** What is left of a removed file for a day, so that removing it again is answered as the first time. */
export interface RemovedFile extends Document {
  /** The file's. */
  readonly operation: string
  readonly fate: 'removed'
  /** When this goes too. */
  readonly due_at: number
  /** The intent that removed it: that one alone gives back its bytes. */
  readonly removed_by: string
}

export type FileRecord = StoredFile | RemovedFile

export const filesSpec = {
  name: 'files',
  indexes: {
    operation: { fields: ['tenant', 'operation'], unique: true },
    due: { fields: ['due_at'], when: { field: 'fate', in: ['expires', 'removed'] } },
    output: { fields: ['tenant', 'output_of'], when: { field: 'purpose', in: ['output'] } },
  },
} as const satisfies CollectionSpec

export type FileIndex = keyof typeof filesSpec.indexes

/** Whether callers see it. */
export const isThere = (file: FileRecord | undefined, now: number): file is StoredFile =>
  file !== undefined && (file.fate === 'stays' || (file.fate === 'expires' && (file.due_at ?? 0) > now))

const REMEMBERED_MS = 86_400_000

export const removedFile = (
  { tenant, id, operation }: Pick<FileRecord, 'tenant' | 'id' | 'operation'>,
  removed_by: string,
  now: number,
): Omit<RemovedFile, 'version'> => ({
  ...{ tenant, id, operation },
  fate: 'removed',
  due_at: now + REMEMBERED_MS,
  removed_by,
})
