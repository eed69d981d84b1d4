/** One hunk of a unified diff, or of the combined diff of a merge, read by its counts as `git apply` does. */
import { Refusal } from '../../../src/brief.ts'

/** The new side of a hunk. */
export interface Hunk {
  /** Of its first line, from 1. */
  readonly line: number
  readonly lines: readonly { readonly text: string; readonly isAdded: boolean }[]
  /** Lines that its header counts and that do not come: the diff was cut off. */
  readonly missing: number
}

export const isHunk = (line: string | undefined): boolean => line !== undefined && header.test(line)

/** Also a line that only begins as a header does: nothing else in a diff does outside of hunks. */
export const looksLikeHunk = (line: string): boolean => /^@@+(?: |$)/.test(line)

/** `@@ -1,2 +1,3 @@`, and with a further `@` and range for each further parent of a merge. */
const header = /^@(@{1,20}) ((?:-\d{1,10}(?:,\d{1,10})? ){1,20})\+(\d{1,10})(?:,(\d{1,10}))? @/

/** The hunk whose header is the line `at` of the diff, and the line after it. Refuses diffs of words and hunks with more lines than they count. */
export function readHunk(diff: readonly string[], at: number): { readonly hunk: Hunk; readonly next: number } {
  const [, { length: parents = 1 } = '@', ranges = '', line = '', count = '1'] = diff[at]?.match(header) ?? []
  const old = ranges
    .trim()
    .split(' ', parents)
    .map(range => Number(range.split(',')[1] ?? 1))
  let rest = Number(count)
  const lines: Hunk['lines'][number][] = []
  let next = at + 1
  let isChanged = false
  for (; next < diff.length && (rest > 0 || old.some(left => left > 0)); next++) {
    const row = diff[next] ?? ''
    if (row.startsWith('\\')) continue
    // Mail programs and editors strip the blank of an empty line.
    const marks = row.trim() === '' && row.length < parents ? ' '.repeat(parents) : row.slice(0, parents)
    if (!/^[ +-]+$/.test(marks)) break
    const isGone = marks.includes('-')
    for (const [parent, mark] of [...marks].entries())
      if (mark === (isGone ? '-' : ' ')) old[parent] = (old[parent] ?? 0) - 1
    isChanged ||= marks.trim() !== ''
    if (isGone) continue
    rest--
    lines.push({
      text: row.trim() === '' && row.length < parents ? row : row.slice(parents),
      isAdded: marks.includes('+'),
    })
  }
  while (diff[next]?.startsWith('\\')) next++
  const missing = Math.max(rest, ...old, 0)
  if (missing > 0 || !isChanged) refuseWords(diff, at)
  if (missing === 0 && isSurplus(diff, next)) refuseCount(at)
  return { hunk: { line: Number(line), lines, missing }, next }
}

/** Whether lines of the hunk go on after its end, also behind blank lines. */
function isSurplus(diff: readonly string[], end: number): boolean {
  const line = diff[end] ?? ''
  if (/^ \s*\S/.test(line)) return true
  let next = end
  while (next < diff.length && diff[next]?.trim() === '') next++
  return /^[+-]/.test(diff[next] ?? '') && !beginsWithDashes(diff, next)
}

/** What begins as a removed line and is none: the names of the next file, the signature of a mail, the edge of an attachment. */
function beginsWithDashes(diff: readonly string[], at: number): boolean {
  const line = (diff[at] ?? '').trimEnd()
  if (line === '--') return true
  if (line.startsWith('--- ')) return diff[at + 1]?.startsWith('+++ ') === true
  // git names its version in the edge; other edges are announced at the top of their mail (RFC 2046, section 5.1.1).
  if (/^-{14}\d+\.[\w.]+$/.test(line.replace(/--$/, ''))) return true
  const edge = line.slice(2).replace(/--$/, '')
  return line.startsWith('--') && edge !== '' && diff.some(row => row.includes(`boundary="${edge}"`))
}

function refuseCount(at: number): never {
  throw new Refusal(
    'input.diff',
    `This is no unified diff: the hunk in its line ${at + 1} has more lines than it counts.`,
  )
}

/** `--word-diff` in its forms `plain` and `porcelain` writes lines without a mark in front. */
function refuseWords(diff: readonly string[], at: number): void {
  let end = at + 1
  while (end < diff.length && !isHunk(diff[end]) && !diff[end]?.startsWith('diff ')) end++
  const body = diff.slice(at + 1, end)
  if (body.some(line => line === '~' || hasPair(line, '[-', '-]') || hasPair(line, '{+', '+}')))
    throw new Refusal(
      'input.diff',
      'This is a diff of words. Give one of lines: leave out --word-diff and --color-words.',
    )
}

function hasPair(line: string, open: string, close: string): boolean {
  const at = line.indexOf(open)
  return at >= 0 && line.includes(close, at + open.length)
}
