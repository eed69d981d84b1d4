import type { CodeInput } from '../source.ts'
import type { Frame, TraceLanguage } from './traces/trace.ts'

export interface Input extends CodeInput {
  readonly trace: string
}

export interface CodeLine {
  readonly line: number
  readonly text: string
}

export interface Cause {
  readonly cause: string
  readonly advice: string
  /** error: what the error says; linter: a rule saw it in the code. */
  readonly from: 'error' | 'linter'
  readonly rule: string | null
  readonly file: string | null
  readonly line: number | null
}

/** An exception with the innermost place of the project itself, as far as it has one. */
export interface Raised {
  readonly type: string
  readonly message: string
  readonly file: string | null
  readonly line: number | null
}

export interface Result {
  readonly language: TraceLanguage
  readonly error: { readonly type: string; readonly message: string }
  readonly became: readonly { readonly type: string; readonly message: string }[]
  readonly others: readonly Raised[]
  readonly failing_frame: Frame | null
  readonly code: readonly CodeLine[]
  readonly frames: readonly Frame[]
  readonly causes: readonly Cause[]
  readonly change: {
    readonly file: string
    readonly patch: string
    readonly why: string
    readonly proof: { readonly rule: string; readonly before: number; readonly after: number }
  } | null
}
