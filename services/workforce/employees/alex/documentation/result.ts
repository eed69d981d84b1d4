import type { CodeInput } from '../source.ts'
import type { DocumentedLanguage, Entry, Module } from './reference.ts'

export interface Input extends Omit<CodeInput, 'language'> {
  readonly title?: string
  readonly tests?: readonly { readonly path: string; readonly text: string }[]
}

export interface Example {
  /** The entry that it uses. */
  readonly name: string
  /** Of the file of that entry. */
  readonly file: string
  readonly test: string
  readonly source: string
  readonly line: number
  readonly code: string
}

export interface Result {
  readonly title: string
  readonly markdown: string
  readonly modules: readonly Module[]
  readonly examples: readonly Example[]
  readonly summary: {
    readonly modules: number
    /** Null where no file was read. */
    readonly entries: number | null
    readonly documented: number | null
    readonly undocumented: readonly string[]
  }
  readonly not_read: readonly { readonly file: string; readonly reason: string }[]
}

export type { DocumentedLanguage, Entry, Module }
