/** The new side of a diff: the lines that it adds, and what else it says of each file. */
import { plainPath } from '../source.ts'
import { type FileDiff, fileDiffs } from './diff/file-diff.ts'

/** What a diff does to one file. */
export interface Change {
  readonly path: string
  /** Whether its only piece is the whole file. */
  readonly isNew: boolean
  /** The lines that were added, from 1. */
  readonly added: ReadonlySet<number>
  readonly pieces: readonly Piece[]
  /** Why there is no line to read; undefined where there is one, or has to be one. */
  readonly emptyReason?: string
  /** Lines that the diff counts and does not have. */
  readonly missing: number
  /** Of the first added line outside of its hunks, its place in the diff, from 1. */
  readonly stray?: number
}

/** The new side of a hunk. */
export interface Piece {
  /** Of its first line, from 1. */
  readonly line: number
  readonly text: string
}

/** A file comes again for each commit of the diff that changes it. Refuses what is no diff by lines. */
export const changesOf = (diff: string): Change[] =>
  fileDiffs(diff).map(file => {
    const { path, status, hunks, stray } = file
    const added = new Set<number>()
    const pieces = hunks.map(({ line, lines }) => {
      for (const [at, { isAdded }] of lines.entries()) if (isAdded) added.add(line + at)
      return { line, text: lines.map(({ text }) => text).join('\n') }
    })
    const missing = hunks.reduce((sum, hunk) => sum + hunk.missing, 0)
    const emptyReason = missing > 0 || stray !== undefined ? undefined : emptyReasonOf(file, added.size)
    return {
      path: plainPath(path, 'input.diff'),
      isNew: status === 'new' && pieces.length === 1 && missing === 0,
      added,
      pieces,
      missing,
      ...(stray !== undefined && { stray }),
      ...(emptyReason !== undefined && { emptyReason }),
    }
  })

function emptyReasonOf({ status, content, hunks, expectsHunks }: FileDiff, added: number): string | undefined {
  if (status === 'deleted') return 'It is deleted.'
  if (content === 'submodule') return 'It is a submodule: the diff names its commit alone.'
  if (content === 'link') return 'It is a symbolic link.'
  if (content === 'unmerged') return 'It is not merged yet: the diff leaves its lines out.'
  if (content === 'one-sided') return 'It is on one side alone: the diff leaves its lines out.'
  if (content === 'binary') return 'It is binary.'
  if (hunks.length > 0) return added === 0 ? 'No line is added.' : undefined
  if (expectsHunks) return undefined
  if (status === 'new') return 'It is empty.'
  return status === 'changed' ? 'Its mode alone is changed.' : `It is ${status}, with no line changed.`
}
