/** What is read of each file: whole, or hunk by hunk where a diff comes without its files. */
import { type Found, type Linter, linesIn } from '../finding.ts'
import { type Language, languageOf } from '../language.ts'
import { linesOf } from '../lines.ts'
import { byPlace, type Finding, findingOf, lint, linterFor, readBy, whyUnread } from '../lint.ts'
import type { Source } from '../source.ts'
import type { Change, Piece } from './changes.ts'
import { needsTheRest } from './needs-the-rest.ts'
import { type ParseBudget, type Part, partsOf, readableParts } from './piece.ts'

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

/** What `readWhole` and `readChange` share in a review. */
export interface Reviewed {
  readonly typed: Types
  readonly budget: ParseBudget
}

export async function readWhole(source: Source, reviewed: Reviewed, added?: ReadonlySet<number>): Promise<Read> {
  const { path: file, text, language } = source
  if (text.trim() === '') return { ...unreadFile(file, 'It is empty.'), isEmpty: true }
  const unread = whyUnread(source)
  if (unread !== undefined || language === undefined) return unreadFile(file, unread ?? '')
  const isWanted = ({ line }: LineOf) => !added || added.has(line)
  try {
    const { findings, isSeen } = await lint(source, language, isWanted, reviewed.typed.get(file) ?? [])
    const lines = linesOf(text, language).length
    const read = { file, lines: added?.size ?? lines, by: readBy(language), whole: true, findings }
    return isSeen ? read : await readAround(source, language, read, added ?? everyLine(lines), reviewed.budget)
  } catch (error) {
    return unreadFile(file, nestingReason(error))
  }
}

type LineOf = Pick<Found, 'line'>

const everyLine = (count: number): ReadonlySet<number> => new Set(Array.from({ length: count }, (_, at) => at + 1))

/** A file that can't be parsed: the parts of it that can, where the linter has not read those already. */
async function readAround(
  { path, text }: Source,
  language: Language,
  read: Read,
  wanted: ReadonlySet<number>,
  budget: ParseBudget,
): Promise<Read> {
  const linter = await linterFor(language, path)
  const last = linesOf(text, language).length
  const parts = linter.unparsed ? [] : readableParts(language, { line: 1, text }, linter, budget)
  const seen = seenIn(parts)
  const unseen = linter.unparsed && linesIn(linter.unparsed(text))
  const lost = [...wanted].filter(line => (unseen ? unseen.has(line) : !seen.has(line)))
  const found = foundIn(parts, linter).filter(({ line, endLine }) => wanted.has(line) && endLine <= last)
  const findings = [...read.findings, ...found.map(one => findingOf(path, one, null))]
  if (lost.length === 0) return { ...read, findings }
  const rows = linesOf(text, language)
  const isLost = new Set(lost)
  const isAny = [...wanted].some(line => !isLost.has(line) && rows[line - 1]?.trim() !== '')
  const unread = `Not parsed, so read by no rule: ${rangesOf(lost)}.`
  return { ...read, lines: isAny ? wanted.size - lost.length : 0, whole: false, findings, unread }
}

export async function readChange(change: Change, sources: readonly Source[], reviewed: Reviewed): Promise<Read> {
  if (change.emptyReason !== undefined) return { ...unreadFile(change.path, change.emptyReason), isEmpty: true }
  const { read, isOther } = await readHunks(change, sources, reviewed)
  const { missing, stray } = change
  const reasons = [
    ...(read.unread === undefined ? [] : [read.unread]),
    ...(isOther ? ['The file given is not what the diff makes of it: only the hunks were read.'] : []),
    ...(missing > 0 ? [`The diff is cut off: ${missing} lines that its hunks count are missing.`] : []),
    ...(stray === undefined
      ? []
      : [`Line ${stray} of the diff begins with + outside of any hunk: what is added there was not read.`]),
  ]
  return reasons.length > 0 ? { ...read, unread: reasons.join(' ') } : read
}

/** In its file where that is given, and whether the file given is another. */
async function readHunks(
  change: Change,
  sources: readonly Source[],
  reviewed: Reviewed,
): Promise<{ readonly read: Read; readonly isOther: boolean }> {
  const { path, isNew, added, pieces } = change
  const given = sources.find(source => source.path === path)
  if (pieces.length === 0)
    return { read: unreadFile(path, 'The diff names it and has no hunk that can be read.'), isOther: false }
  if (given && isNewSide(given, pieces)) return { read: await readWhole(given, reviewed, added), isOther: false }
  const whole = isNew ? { path, language: languageOf(path), text: pieces[0]?.text ?? '' } : undefined
  const read = whole ? await readWhole(whole, reviewed, added) : await readPieces(change, reviewed.budget)
  return { read, isOther: given !== undefined && !isNew }
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
  const linter = await linterFor(language, path)
  try {
    const parts = pieces.flatMap(piece => partsOf(language, piece, linter, budget))
    const seen = seenIn(parts)
    const lost = [...added].filter(line => !seen.has(line))
    const reason = `Not parsed without the rest of the file, so read by no rule: ${rangesOf(lost)}. Give the file too.`
    if (added.size === 0) return unreadFile(path, 'No line is added.')
    if (lost.length === added.size) return unreadFile(path, reason)
    const findings = foundIn(parts, linter)
      .filter(({ line }) => added.has(line))
      .map(found => findingOf(path, found, null))
    const read = { file: path, lines: added.size - lost.length, by: readBy(language), whole: false, findings }
    return lost.length > 0 ? { ...read, unread: reason } : read
  } catch (error) {
    return unreadFile(path, nestingReason(error))
  }
}

/** By line of the file, without what its rest could answer. */
const foundIn = (parts: readonly Part[], linter: Linter): Found[] =>
  parts
    .flatMap(part =>
      linter
        .lint(part.text)
        .map(found => inFile(found, part))
        .filter(found => part.lines.has(found.line) && !needsTheRest(found, part.last)),
    )
    .toSorted(byPlace)

const seenIn = (parts: readonly Part[]): Set<number> => new Set(parts.flatMap(({ lines }) => [...lines]))

/** `lines 3, 5–7`, at most ten of them. */
function rangesOf(lines: readonly number[]): string {
  const starts = lines.filter((line, at) => lines[at - 1] !== line - 1)
  const ends = lines.filter((line, at) => lines[at + 1] !== line + 1)
  const ranges = starts.map((start, at) => (start === ends[at] ? `${start}` : `${start}–${ends[at]}`))
  const named = ranges.length > 10 ? `${ranges.slice(0, 10).join(', ')} and more` : ranges.join(', ')
  return `${lines.length === 1 ? 'line' : 'lines'} ${named}`
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
