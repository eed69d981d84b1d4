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
    readonly errors: number
    readonly warnings: number
    readonly infos: number
  }
  readonly findings: readonly Finding[]
  readonly not_read: readonly { readonly file: string; readonly reason: string }[]
}
