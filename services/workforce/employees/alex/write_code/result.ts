/** The types of `input.schema.json` and `output.schema.json`. */
import type { Language } from '../language.ts'

export interface CodeFile {
  readonly path: string
  readonly text: string
}

export interface Input {
  readonly description?: string
  readonly language?: Language
  readonly files?: readonly CodeFile[]
  readonly tests?: readonly CodeFile[]
}

export interface Result {
  readonly language: Language | 'other'
  readonly files: readonly CodeFile[]
  readonly explanation: string
  readonly assumptions: readonly string[]
}
