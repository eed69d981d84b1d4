import type { Severity } from '../finding.ts'
import type { Finding } from '../lint.ts'
import type { CodeInput } from '../source.ts'

export interface Input extends CodeInput {
  readonly diff?: string
  readonly min_severity?: Severity
  readonly ignore_rules?: readonly string[]
}

export interface Result {
  readonly summary: {
    readonly files: number
    readonly lines: number
    /** Null, as the two below, where nothing was read. */
    readonly errors: number | null
    readonly warnings: number | null
    readonly infos: number | null
  }
  readonly findings: readonly Finding[]
  /** Of a file that a diff changes in several commits, one entry for each. */
  readonly read: readonly {
    readonly file: string
    readonly lines: number
    readonly by: string
    readonly whole: boolean
  }[]
  readonly not_read: readonly { readonly file: string; readonly reason: string }[]
}
