/** What a program says of its failure, whatever its language. */

export interface Trace {
  readonly language: TraceLanguage
  /** What went wrong first stands first; the others are what it was made into on its way out. Never empty. */
  readonly thrown: readonly Thrown[]
  /** What was being handled when that went wrong. */
  readonly handled?: Thrown
  /** The other exceptions of its group, each as it went wrong first. */
  readonly beside?: readonly Thrown[]
  /** How many further ones of its group the trace says that it leaves out. */
  readonly left?: number
}

export type TraceLanguage = 'javascript' | 'python' | 'go' | 'java' | 'ruby' | 'php' | 'rust' | 'csharp'

export interface Thrown {
  /** For example TypeError; for Go and Rust `panic`. */
  readonly type: string
  readonly message: string
  /** What its goroutine waited for, as Go says it: `chan send`. */
  readonly waits?: string
  /** The innermost first. */
  readonly frames: readonly Frame[]
}

export interface Frame {
  /** Null outside of functions. */
  readonly function: string | null
  readonly file: string
  /** From 1; null where the trace does not say. */
  readonly line: number | null
  readonly column: number | null
  /** own: code of the project; library: a package; runtime: what comes with the language. */
  readonly owner: 'own' | 'library' | 'runtime'
}

/** How a language tells of failures; undefined where the lines tell of none. */
export type TraceReader = (lines: readonly string[]) => Trace | undefined

/** Null where there are no digits. */
export const numberOr = (digits: string | undefined): number | null => (digits === undefined ? null : Number(digits))
