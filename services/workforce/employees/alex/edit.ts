/** Changes of a text, as places and as a patch. */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'

/** From `start` up to `end`, in UTF-16 units, stands `text` instead. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Undefined where two of them meet or one lies outside. */
export function applied(text: string, edits: readonly Edit[]): string | undefined {
  const sorted = edits.toSorted((a, b) => a.start - b.start || a.end - b.end)
  let done = ''
  let from = 0
  for (const { start, end, text: instead } of sorted) {
    if (start < from || end < start || end > text.length) return undefined
    done += text.slice(from, start) + instead
    from = end
  }
  return done + text.slice(from)
}

/** A unified diff that `git apply` and `patch -p1` take. */
export const patchOf = (path: string, before: string, after: string): string =>
  createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
  })
