/** An account's own model as compute stores it. Its bytes lie in a blob that a contents document has. */
import type { OnnxInspection } from '@millhand/model'
import type { CollectionSpec, Document } from '@millhand/store'
import type { RemovedFile } from '../files/file.ts'

export interface StoredModel extends Document {
  /** What made it: two creates of one operation leave one model. Its own id where nothing is said. */
  readonly operation: string
  readonly fate: 'stays'
  readonly account_id: string
  /** JSON text as `model.json` has it, without `files`, and with the inputs and outputs that the file has. */
  readonly manifest: string
  readonly hidden_outputs: OnnxInspection['hiddenOutputs']
  readonly opsets: OnnxInspection['opsets']
  readonly operators: OnnxInspection['operators']
  readonly bytes: number
  readonly sha256: string
  /** The contents document that has its bytes. */
  readonly content: string
  /** Milliseconds since 1970. */
  readonly created_at: number
  /** Of a model that a task has trained, its card: JSON text. */
  readonly training?: string | undefined
}

/** A removed model is remembered for a day, as files are. */
export type ModelRecord = StoredModel | RemovedFile

export const modelsSpec = {
  name: 'models',
  indexes: {
    operation: { fields: ['tenant', 'operation'], unique: true },
    by_fate: { fields: ['tenant', 'fate'] },
    due: { fields: ['due_at'], when: { field: 'fate', in: ['removed'] } },
  },
  refusedWhenFull: true,
} as const satisfies CollectionSpec

export type ModelIndex = keyof typeof modelsSpec.indexes

/** The digest of its content: the version of a file as a model, and what executors hold a copy to. */
export const digestOf = ({ sha256 }: { readonly sha256: string }): string => `sha256:${sha256}`
