import type { Citation } from '@millhand/workforce/employee'

export type { Check, Citation } from '@millhand/workforce/employee'

/** What an employee gives back. */
export interface Answer<Result = unknown> {
  /** As the kind's output schema has it. */
  readonly result: Result
  /** The same as somebody would read it out: plain text. */
  readonly text: string
  readonly artifacts?: readonly Artifact[]
  readonly citations?: readonly Citation[]
  /** What the reader should know before they rely on it. */
  readonly warnings?: readonly string[]
}

/** A file that was made. */
export interface Artifact {
  /** Without a folder; unique in its answer. */
  readonly name: string
  readonly media_type: string
  readonly bytes: Uint8Array
}
