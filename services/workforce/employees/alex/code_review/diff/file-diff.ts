/** What a diff says file by file, in all forms that git writes, mail and statistics in front and between included. */
import { Refusal } from '../../../src/brief.ts'
import { GONE, nameIn, pathNamedTwice, pathOf, unquoted } from './diff-path.ts'
import { type Hunk, isHunk, looksLikeHunk, readHunk } from './hunk.ts'

/** One file of a diff; a file comes several times where the diff has several commits. */
export interface FileDiff {
  readonly path: string
  readonly status: 'changed' | 'new' | 'deleted' | 'renamed' | 'copied'
  readonly content: 'text' | 'binary' | 'submodule' | 'link' | 'unmerged' | 'one-sided'
  readonly hunks: readonly Hunk[]
  /** Whether lines of it changed, by its headers; a file that is only renamed, or has a new mode, has none. */
  readonly expectsHunks: boolean
  /** Of the first added line that no hunk has, its place in the diff, from 1. */
  readonly stray?: number
}

/** Refuses what has no file in it, hunks without a file, diffs of words, and hunks that can't be read by their counts. */
export function fileDiffs(diff: string): FileDiff[] {
  const lines = withoutColors(diff).split('\n')
  if (lines.at(-1) === '') lines.pop()
  const files: OpenFile[] = []
  let open: OpenFile | undefined
  let names: number | undefined
  let isMessage = false
  for (let at = 0; at < lines.length; ) {
    const line = (lines[at] ?? '').trimEnd()
    const known: Known | undefined = fileAt(lines, at) ?? (isMessage ? undefined : withoutLines(line, at))
    if (known) files.push(known.file)
    if (known || line.startsWith('diff ')) [open, names, isMessage] = [known?.file, undefined, false]
    else if (hasNames(lines, at)) names = at
    else if (/^From [0-9a-f]{40,64} /.test(line) || line === '---') isMessage = line !== '---'
    else if (looksLikeHunk(line) && !isMessage) {
      // Something stands between the hunk and its names, or the hunk before it.
      if (names !== undefined) {
        open = named(lines, names, undefined, changed([]))
        files.push(open)
        names = undefined
      }
      if (!isHunk(line)) refuseHeader(at)
      if (open?.content !== 'text') refuseNameless(at)
      const { hunk, next } = readHunk(lines, at)
      open.hunks.push(hunk)
      at = next
      continue
    }
    if (!known && open?.content === 'text' && !isMessage && isAdded(lines, at)) open.stray ??= at + 1
    at = known?.next ?? at + 1
  }
  if (files.length === 0) throw new Refusal('input.diff', 'This is no unified diff: it has no hunks (@@ … @@).')
  const last = new Map(files.map(({ path }, at) => [path, at]))
  // Against one side of a merge git names the unmerged file, and writes its hunks behind that.
  return files.filter(({ path, content }, at) => content !== 'unmerged' || last.get(path) === at)
}

/** Hunks that come after a line of something else are added. */
interface OpenFile extends FileDiff {
  readonly hunks: Hunk[]
  stray?: number
}

function refuseHeader(at: number): never {
  throw new Refusal(
    'input.diff',
    `This is no unified diff: its line ${at + 1} begins a hunk and has no counts (@@ -1,2 +1,3 @@).`,
  )
}

function refuseNameless(at: number): never {
  throw new Refusal(
    'input.diff',
    `This is no unified diff: no \`--- \` and \`+++ \` name the file of the hunk in its line ${at + 1}.`,
  )
}

/** `--color` writes the colors of a terminal. */
const withoutColors = (diff: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal takes as a color begins with one.
  /^\u001b\[[\d;]*m/m.test(diff) ? diff.replaceAll(/\u001b\[[\d;]*[mK]/g, '') : diff

interface Known {
  readonly file: OpenFile
  readonly next: number
}

function fileAt(lines: readonly string[], at: number): Known | undefined {
  const line = (lines[at] ?? '').trimEnd()
  const git = /^diff --(git|cc|combined) (.+)$/.exec(line)
  if (git) return gitFile(lines, at + 1, git[1] === 'git' ? pathNamedTwice(git[2] ?? '') : unquoted(git[2] ?? ''))
  if (hasNames(lines, at) && isHunk(lines[at + 2])) {
    const { hunks, next } = hunksFrom(lines, at + 2)
    return { file: named(lines, at, undefined, changed(hunks)), next }
  }
  const [, binary, submodule] =
    /^Binary files (?:.+) and (.+) differ$|^Submodule (.+) [0-9a-f]{7,64}\.{2,3}[0-9a-f]{7,64}/.exec(line) ?? []
  if (binary !== undefined) return alone(pathOf(GONE, unquoted(binary)), 'binary', at)
  return submodule === undefined ? undefined : alone(submodule, 'submodule', at)
}

/** `git diff --cached` in the middle of a merge, and `diff -r`, name files whose lines they leave out. */
function withoutLines(line: string, at: number): Known | undefined {
  const [, unmerged, folder, name] = /^\* Unmerged path (.+)$|^Only in (\S+): (\S+)$/.exec(line) ?? []
  if (unmerged !== undefined) return alone(unquoted(unmerged), 'unmerged', at)
  return folder === undefined ? undefined : alone(`${folder}/${name}`, 'one-sided', at)
}

const changed = (hunks: Hunk[]): Omit<OpenFile, 'path'> => ({
  status: 'changed',
  content: 'text',
  hunks,
  expectsHunks: true,
})

const alone = (path: string, content: FileDiff['content'], at: number): Known => ({
  file: { ...changed([]), path, content },
  next: at + 1,
})

/** After `diff --git`: headers, then names and hunks, or that it is binary. */
function gitFile(lines: readonly string[], from: number, twice: string | undefined): Known | undefined {
  let status: FileDiff['status'] = 'changed'
  let content: FileDiff['content'] = 'text'
  let path = twice
  let isModeChanged = false
  let at = from
  for (; at < lines.length; at++) {
    const [, header, value = ''] = gitHeader.exec((lines[at] ?? '').trimEnd()) ?? []
    if (header === undefined) break
    if (header === 'new file mode') status = 'new'
    isModeChanged ||= header === 'old mode' || header === 'new mode'
    if (header === 'deleted file mode') status = 'deleted'
    if (header === 'rename to' || header === 'copy to') {
      status = header === 'rename to' ? 'renamed' : 'copied'
      path = unquoted(value)
    }
    if (/(?:mode|index)$/.test(header)) content = kindOf(value) ?? content
    if (header.startsWith('Binary') || header.startsWith('GIT')) content = 'binary'
  }
  at = pastUnknownHeaders(lines, at)
  const isNamed = hasNames(lines, at)
  const { hunks, next } = hunksFrom(lines, isNamed ? at + 2 : at)
  const expectsHunks = isNamed || (status === 'changed' && !isModeChanged)
  const rest = { status, content, hunks, expectsHunks }
  if (isNamed) return { file: named(lines, at, path, rest), next }
  return path === undefined ? undefined : { file: { ...rest, path }, next }
}

/** Up to the names or the first hunk, where one of them follows before anything else begins. */
function pastUnknownHeaders(lines: readonly string[], from: number): number {
  for (let at = from; at < from + MOST_UNKNOWN; at++) {
    if (hasNames(lines, at) || isHunk(lines[at])) return at
    if (/^(?:diff |From |commit |--|\s*$)/.test(lines[at] ?? '')) break
  }
  return from
}

const MOST_UNKNOWN = 8

const gitHeader =
  /^(old mode|new mode|mode|deleted file mode|new file mode|copy from|copy to|rename from|rename to|rename old|rename new|similarity index|dissimilarity index|index|Binary files|GIT binary patch)(?: (.*))?$/

/** By its mode, which is the last thing in such a line. */
const kindOf = (value: string): FileDiff['content'] | undefined =>
  /(?:^|[ .,])160000$/.test(value) ? 'submodule' : /(?:^|[ .,])120000$/.test(value) ? 'link' : undefined

const isAdded = (lines: readonly string[], at: number): boolean =>
  lines[at]?.startsWith('+') === true && !hasNames(lines, at - 1)

const hasNames = (lines: readonly string[], at: number): boolean =>
  /^--- \S/.test(lines[at] ?? '') && /^\+\+\+ \S/.test(lines[at + 1] ?? '')

function named(lines: readonly string[], at: number, path: string | undefined, rest: Omit<OpenFile, 'path'>): OpenFile {
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
