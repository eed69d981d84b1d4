/** The new side of a unified diff. */
import { parsePatch } from 'diff'
import { Refusal } from '../../src/brief.ts'
import { plainPath } from '../source.ts'

/** What a diff does to one file. */
export interface Change {
  readonly path: string
  readonly isNew: boolean
  /** The lines that were added, from 1. */
  readonly added: ReadonlySet<number>
  readonly pieces: readonly Piece[]
}

/** The new side of a hunk. */
export interface Piece {
  /** Of its first line, from 1. */
  readonly line: number
  readonly text: string
}

/** Deleted files are left out. Refuses what is no unified diff. */
export function changesOf(diff: string): Change[] {
  const files = parsed(diff).filter(({ hunks, newFileName }) => hunks.length > 0 && newFileName !== '/dev/null')
  if (files.length === 0) throw new Refusal('input.diff', 'This is no unified diff: it has no hunks (@@ … @@).')
  return files.map(({ oldFileName = '', newFileName, hunks }) => {
    const name = newFileName ?? oldFileName
    const added = new Set<number>()
    const pieces = hunks.map(({ newStart, lines }) => {
      const kept = lines.filter(line => line[0] === ' ' || line[0] === '+' || line === '')
      for (const [at, line] of kept.entries()) if (line[0] === '+') added.add(newStart + at)
      return { line: newStart, text: kept.map(line => line.slice(1)).join('\n') }
    })
    const path = plainPath(
      oldFileName.startsWith('a/') || name.startsWith('b/') ? name.replace(/^b\//, '') : name,
      'input.diff',
    )
    return { path, isNew: oldFileName === '/dev/null', added, pieces }
  })
}

function parsed(diff: string): ReturnType<typeof parsePatch> {
  try {
    return parsePatch(diff)
  } catch (error) {
    throw new Refusal(
      'input.diff',
      `This is no unified diff: ${error instanceof Error ? error.message.slice(0, 200) : ''}`,
    )
  }
}
