/** Reviews code with linters in memory: ESLint, ruff, and rules of our own over syntax trees. */
import type { Answer } from '../../src/answer.ts'
import { type Brief, Refusal } from '../../src/brief.ts'
import { unheeded } from '../../src/text/unheeded.ts'
import { type Found, plain, severities } from '../finding.ts'
import { languageOf } from '../language.ts'
import { linesOf } from '../lines.ts'
import { byPlace, type Finding, findingOf, lint, linterFor, whyUnread } from '../lint.ts'
import { type Source, sourcesOf } from '../source.ts'
import { TYPES_LEFT, typeFindings } from '../type-lint.ts'
import { TooLong } from '../within.ts'
import { type Change, changesOf, type Piece } from './changes.ts'
import { needsTheRest, readings } from './piece.ts'
import type { Input, Result } from './result.ts'

const MOST_FINDINGS = 500

export async function rules(brief: Brief<Input>): Promise<Answer<Result>> {
  const sources = sourcesOf(brief)
  const changes = brief.input.diff === undefined ? undefined : changesOf(brief.input.diff)
  if (sources.length === 0 && !changes)
    throw new Refusal('input.code', 'Give code to review: `code`, `files` or `diff`, or files of the task.')
  const { typed, warnings } = typesOf(sources)
  const reads = changes
    ? changes.map(change => readChange(change, sources, typed))
    : sources.map(source => readWhole(source, typed))
  const read: Read[] = []
  // One after the other: what a linter holds is freed before the next file.
  for (const part of reads) read.push(await part())
  const isWanted = wanted(brief.input)
  const all = read
    .flatMap(({ findings = [] }) => findings)
    .filter(isWanted)
    .toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity))
  const findings = all.slice(0, MOST_FINDINGS)
  const count = (severity: string) => findings.filter(finding => finding.severity === severity).length
  const result: Result = {
    summary: {
      files: read.filter(({ unread }) => unread === undefined).length,
      lines: read.reduce((sum, { lines }) => sum + lines, 0),
      errors: count('error'),
      warnings: count('warning'),
      infos: count('info'),
    },
    findings,
    not_read: read.flatMap(({ file, unread }) => (unread === undefined ? [] : { file, reason: unread })),
  }
  return {
    result,
    text: readingOf(result),
    warnings: [...warningsOf(all.length, result), ...warnings, ...unheeded(brief)],
  }
}

/** What came of a file. */
interface Read {
  readonly file: string
  readonly lines: number
  readonly findings?: readonly Finding[]
  readonly unread?: string
}

type Types = ReadonlyMap<string, readonly Found[]>

/** Of files that are given whole: names and properties may stand in each other. */
function typesOf(sources: readonly Source[]): { readonly typed: Types; readonly warnings: string[] } {
  try {
    return { typed: typeFindings(sources.filter(source => whyUnread(source) === undefined)), warnings: [] }
  } catch (error) {
    if (error instanceof TooLong) return { typed: new Map(), warnings: [TYPES_LEFT] }
    tooMuch(error)
    return { typed: new Map(), warnings: [] }
  }
}

const readWhole =
  (source: Source, typed: Types, added?: ReadonlySet<number>): (() => Promise<Read>) =>
  async () => {
    const { path: file, text, language } = source
    const unread = whyUnread(source)
    if (unread) return { file, lines: 0, unread }
    try {
      const findings = await lint(source, ({ line }) => !added || added.has(line), typed.get(file) ?? [])
      return { file, lines: added?.size ?? linesOf(text, language).length, findings }
    } catch (error) {
      return { file, lines: 0, unread: tooMuch(error) }
    }
  }

function readChange(change: Change, sources: readonly Source[], typed: Types): () => Promise<Read> {
  const { path, isNew, added, pieces } = change
  const given = sources.find(source => source.path === path)
  if (given) return readWhole(given, typed, added)
  if (isNew) return readWhole({ path, language: languageOf(path), text: pieces[0]?.text ?? '' }, typed, added)
  return () => readPieces(change)
}

/** Hunks alone: what only the whole file can tell is left out, and nothing is changed. */
async function readPieces({ path, added, pieces }: Change): Promise<Read> {
  const language = languageOf(path)
  const unread = whyUnread({ path, language, text: pieces.map(({ text }) => text).join('\n') })
  if (unread || !language) return { file: path, lines: 0, unread: unread ?? '' }
  const linter = await linterFor(language, path, false)
  const isCode = language === 'python' || language === 'javascript' || language === 'typescript'
  const readable = (piece: Piece) =>
    isCode ? readings(language, piece).find(({ text }) => linter.parses(text)) : piece
  try {
    const read = pieces.map(readable)
    const lost = pieces.filter((_, at) => read[at] === undefined)
    const findings = read
      .flatMap(piece => (piece === undefined ? [] : linter.lint(piece.text).map(found => inFile(found, piece))))
      .filter(({ line, rule }) => added.has(line) && !needsTheRest.has(rule))
      .toSorted(byPlace)
      .map(found => findingOf(path, found, null))
    const reason = `The hunks at ${lost.map(({ line }) => `line ${line}`).join(', ')} can't be parsed on their own; give the file too.`
    return { file: path, lines: added.size, findings, ...(lost.length > 0 && { unread: reason }) }
  } catch (error) {
    return { file: path, lines: 0, unread: tooMuch(error) }
  }
}

/** Where the piece stands. Lines are counted and not made: those that a diff names cost nothing, however many it says that there are. */
const inFile = (found: Found, { line }: Piece): Found => ({
  ...found,
  line: found.line + line - 1,
  endLine: found.endLine + line - 1,
})

/** A linter that runs out of stack: nothing else is expected of one, and anything else is a fault. */
function tooMuch(error: unknown): string {
  if (error instanceof RangeError || /stack size/i.test(String(error))) return 'It is nested too deeply to be read.'
  throw error
}

function wanted({ min_severity = 'info', ignore_rules = [] }: Input): (finding: Finding) => boolean {
  const most = severities.indexOf(min_severity)
  return ({ severity, rule }) => severities.indexOf(severity) <= most && !ignore_rules.includes(rule)
}

function warningsOf(all: number, { findings, not_read }: Result): string[] {
  return [
    ...(all > findings.length ? [`${all - findings.length} more findings are left out.`] : []),
    ...not_read.map(({ file, reason }) => plain(`${file}: ${reason}`)),
  ]
}

/** The review as plain text, the worst first. */
function readingOf({ summary, findings }: Result): string {
  const { files, lines, errors, warnings, infos } = summary
  const found = [counted(errors, 'error'), counted(warnings, 'warning'), counted(infos, 'note')].join(', ')
  const head = `${counted(files, 'file')}, ${counted(lines, 'line')}: ${found}.`
  const told = findings
    .slice(0, MOST_TOLD)
    .map(({ severity, file, line, message, why, fix, rule, patch }) =>
      [
        `${severity} ${plain(file)}:${line} ${message} (${rule})`,
        `  ${why}`,
        `  ${fix}${patch ? ' A patch is given.' : ''}`,
      ].join('\n'),
    )
  const rest = findings.length > MOST_TOLD ? [`… and ${findings.length - MOST_TOLD} more.`] : []
  return [head, ...told, ...rest].join('\n\n')
}

const MOST_TOLD = 50

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
