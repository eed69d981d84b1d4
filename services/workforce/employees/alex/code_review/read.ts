/** What is read of each file: whole, or hunk by hunk where a diff comes without its files. */
import type { Found } from '../finding.ts'
import { languageOf } from '../language.ts'
import { linesOf } from '../lines.ts'
import { byPlace, type Finding, findingOf, lint, linterFor, readBy, whyUnread } from '../lint.ts'
import type { Source } from '../source.ts'
import type { Change, Piece } from './changes.ts'
import { needsTheRest, type ParseBudget, type Part, readableParts } from './piece.ts'

/** What came of a file. */
export interface Read {
  readonly file: string
  /** Lines that were read; of a diff those that were added. */
  readonly lines: number
  /** Whose rules, and whether they had the whole file; undefined where nothing was read. */
  readonly by?: string
  readonly whole: boolean
  readonly findings: readonly Finding[]
  /** Why it, or a part of it, was not read. */
  readonly unread?: string
  /** Whether it has no line that could be read, for example because it is deleted. */
  readonly isEmpty?: true
}

export type Types = ReadonlyMap<string, readonly Found[]>

const unreadFile = (file: string, unread: string): Read => ({ file, lines: 0, whole: false, findings: [], unread })

export async function readWhole(source: Source, typed: Types, added?: ReadonlySet<number>): Promise<Read> {
  const { path: file, text, language } = source
  if (text.trim() === '') return { ...unreadFile(file, 'It is empty.'), isEmpty: true }
  const unread = whyUnread(source)
  if (unread !== undefined || language === undefined) return unreadFile(file, unread ?? '')
  try {
    const findings = await lint(source, ({ line }) => !added || added.has(line), typed.get(file) ?? [])
    return { file, lines: added?.size ?? linesOf(text, language).length, by: readBy(language), whole: true, findings }
  } catch (error) {
    return unreadFile(file, nestingReason(error))
  }
}

export async function readChange(
  change: Change,
  sources: readonly Source[],
  typed: Types,
  budget: ParseBudget,
): Promise<Read> {
  const { path, isNew, added, pieces, emptyReason } = change
  if (emptyReason !== undefined) return { ...unreadFile(path, emptyReason), isEmpty: true }
  if (pieces.length === 0) return unreadFile(path, 'The diff names it and has no hunk that can be read.')
  const given = sources.find(source => source.path === path)
  if (given && isNewSide(given, pieces)) return await readWhole(given, typed, added)
  if (isNew) return await readWhole({ path, language: languageOf(path), text: pieces[0]?.text ?? '' }, typed, added)
  const read = await readPieces(change, budget)
  const reasons = [
    ...(read.unread === undefined ? [] : [read.unread]),
    ...(given ? ['The file given is not what the diff makes of it: only the hunks were read.'] : []),
    ...(change.missing > 0 ? [`The diff is cut off: ${change.missing} lines that its hunks count are missing.`] : []),
  ]
  return reasons.length > 0 ? { ...read, unread: reasons.join(' ') } : read
}

/** Whether a file has the lines of the hunks where they say. */
function isNewSide({ text, language }: Source, pieces: readonly Piece[]): boolean {
  const lines = linesOf(text, language)
  return pieces.every(piece =>
    linesOf(piece.text, language).every((line, at) => line.trimEnd() === lines[piece.line - 1 + at]?.trimEnd()),
  )
}

/** Hunks alone: what only the whole file can tell is left out, and nothing is changed. */
async function readPieces({ path, added, pieces }: Change, budget: ParseBudget): Promise<Read> {
  const language = languageOf(path)
  const unread = whyUnread({ path, language, text: pieces.map(({ text }) => text).join('\n') })
  if (unread !== undefined || !language) return unreadFile(path, unread ?? '')
  const linter = await linterFor(language, path, false)
  const isCode = language === 'python' || language === 'javascript' || language === 'typescript'
  const partsOf = (piece: Piece): Part[] =>
    isCode
      ? readableParts(language, piece, linter.parses, budget)
      : [{ ...piece, from: piece.line, to: piece.line + piece.text.split('\n').length - 1 }]
  try {
    const parts = pieces.flatMap(partsOf)
    const isRead = (line: number) => parts.some(({ from, to }) => line >= from && line <= to)
    const lost = [...added].filter(line => !isRead(line))
    const reason = `Lines ${rangesOf(lost)} can't be parsed without the rest of the file; give the file too.`
    if (added.size === 0) return unreadFile(path, 'No line is added.')
    if (lost.length === added.size) return unreadFile(path, reason)
    const findings = parts
      .flatMap(part => linter.lint(part.text).map(found => inFile(found, part)))
      .filter(({ line, rule }) => added.has(line) && !needsTheRest.has(rule))
      .toSorted(byPlace)
      .map(found => findingOf(path, found, null))
    const read = { file: path, lines: added.size - lost.length, by: readBy(language), whole: false, findings }
    return lost.length > 0 ? { ...read, unread: reason } : read
  } catch (error) {
    return unreadFile(path, nestingReason(error))
  }
}

/** `3, 5–7`, at most ten of them. */
function rangesOf(lines: readonly number[]): string {
  const starts = lines.filter((line, at) => lines[at - 1] !== line - 1)
  const ends = lines.filter((line, at) => lines[at + 1] !== line + 1)
  const ranges = starts.map((start, at) => (start === ends[at] ? `${start}` : `${start}–${ends[at]}`))
  return ranges.length > 10 ? `${ranges.slice(0, 10).join(', ')} and more` : ranges.join(', ')
}

/** Where the piece stands. Lines are counted and not made: those that a diff names cost nothing, however many it says that there are. */
const inFile = (found: Found, { line }: Piece): Found => ({
  ...found,
  line: found.line + line - 1,
  endLine: found.endLine + line - 1,
})

/** A linter that runs out of stack: nothing else is expected of one, and anything else is a fault. */
export function nestingReason(error: unknown): string {
  if (error instanceof RangeError || /stack size/i.test(String(error))) return 'It is nested too deeply to be read.'
  throw error
}
