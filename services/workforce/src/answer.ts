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

/** Where in the brief something stands. */
export interface Citation {
  /** The source as the brief names it. */
  readonly source: string
  /** Word for word. */
  readonly quote: string
}

/** What was measured on an answer. */
export interface Check {
  readonly id: string
  readonly pass: boolean
  readonly value: number | string
  /** What was wanted, in words or as the least or the most. */
  readonly target: number | string
}
