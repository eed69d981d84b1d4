/** What a diff says file by file, in all forms that git writes, mail and statistics in front and between included. */
import { Refusal } from '../../../src/brief.ts'
import { GONE, nameIn, pathNamedTwice, pathOf, unquoted } from './diff-path.ts'
import { type Hunk, isHunk, readHunk } from './hunk.ts'

/** One file of a diff; a file comes several times where the diff has several commits. */
export interface FileDiff {
  readonly path: string
  readonly status: 'changed' | 'new' | 'deleted' | 'renamed' | 'copied'
  readonly content: 'text' | 'binary' | 'submodule' | 'link'
  readonly hunks: readonly Hunk[]
}

/** Refuses what has no file in it, diffs of words, and hunks that have more lines than they count. */
export function fileDiffs(diff: string): FileDiff[] {
  const lines = withoutColors(diff).split('\n')
  if (lines.at(-1) === '') lines.pop()
  const files: FileDiff[] = []
  for (let at = 0; at < lines.length; ) {
    const known = fileAt(lines, at)
    if (known) files.push(known.file)
    at = known?.next ?? at + 1
  }
  if (files.length === 0) throw new Refusal('input.diff', 'This is no unified diff: it has no hunks (@@ … @@).')
  return files
}

/** `--color` writes the colors of a terminal. */
const withoutColors = (diff: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal takes as a color begins with one.
  /^\u001b\[[\d;]*m/m.test(diff) ? diff.replaceAll(/\u001b\[[\d;]*[mK]/g, '') : diff

interface Known {
  readonly file: FileDiff
  readonly next: number
}

function fileAt(lines: readonly string[], at: number): Known | undefined {
  const line = (lines[at] ?? '').trimEnd()
  const git = /^diff --(git|cc|combined) (.+)$/.exec(line)
  if (git) return gitFile(lines, at + 1, git[1] === 'git' ? pathNamedTwice(git[2] ?? '') : unquoted(git[2] ?? ''))
  if (hasNames(lines, at) && isHunk(lines[at + 2])) {
    const { hunks, next } = hunksFrom(lines, at + 2)
    return { file: named(lines, at, undefined, { content: 'text', status: 'changed', hunks }), next }
  }
  const [, binary, submodule] =
    /^Binary files (?:.+) and (.+) differ$|^Submodule (.+) [0-9a-f]{7,64}\.{2,3}[0-9a-f]{7,64}/.exec(line) ?? []
  if (binary !== undefined) return alone(pathOf(GONE, unquoted(binary)), 'binary', at)
  return submodule === undefined ? undefined : alone(submodule, 'submodule', at)
}

const alone = (path: string, content: FileDiff['content'], at: number): Known => ({
  file: { path, status: 'changed', content, hunks: [] },
  next: at + 1,
})

/** After `diff --git`: headers, then names and hunks, or that it is binary. */
function gitFile(lines: readonly string[], from: number, twice: string | undefined): Known | undefined {
  let status: FileDiff['status'] = 'changed'
  let content: FileDiff['content'] = 'text'
  let path = twice
  let at = from
  for (; at < lines.length; at++) {
    const [, header, value = ''] = gitHeader.exec((lines[at] ?? '').trimEnd()) ?? []
    if (header === undefined) break
    if (header === 'new file mode') status = 'new'
    if (header === 'deleted file mode') status = 'deleted'
    if (header === 'rename to' || header === 'copy to') {
      status = header === 'rename to' ? 'renamed' : 'copied'
      path = unquoted(value)
    }
    if (/(?:mode|index)$/.test(header)) content = kindOf(value) ?? content
    if (header.startsWith('Binary') || header.startsWith('GIT')) content = 'binary'
  }
  const { hunks, next } = hunksFrom(lines, hasNames(lines, at) ? at + 2 : at)
  if (hasNames(lines, at)) return { file: named(lines, at, path, { status, content, hunks }), next }
  return path === undefined ? undefined : { file: { path, status, content, hunks }, next }
}

const gitHeader =
  /^(old mode|new mode|mode|deleted file mode|new file mode|copy from|copy to|rename from|rename to|rename old|rename new|similarity index|dissimilarity index|index|Binary files|GIT binary patch)(?: (.*))?$/

/** By its mode, which is the last thing in such a line. */
const kindOf = (value: string): FileDiff['content'] | undefined =>
  /(?:^|[ .,])160000$/.test(value) ? 'submodule' : /(?:^|[ .,])120000$/.test(value) ? 'link' : undefined

const hasNames = (lines: readonly string[], at: number): boolean =>
  /^--- \S/.test(lines[at] ?? '') && /^\+\+\+ \S/.test(lines[at + 1] ?? '')

function named(lines: readonly string[], at: number, path: string | undefined, rest: Omit<FileDiff, 'path'>): FileDiff {
  const before = nameIn(lines[at] ?? '')
  const after = nameIn(lines[at + 1] ?? '')
  const status = after === GONE ? 'deleted' : before === GONE ? 'new' : rest.status
  return { ...rest, status, path: path ?? pathOf(before, after) }
}

function hunksFrom(lines: readonly string[], from: number): { readonly hunks: Hunk[]; readonly next: number } {
  const hunks: Hunk[] = []
  let at = from
  while (isHunk(lines[at])) {
    const { hunk, next } = readHunk(lines, at)
    hunks.push(hunk)
    at = next
  }
  return { hunks, next: at }
}
