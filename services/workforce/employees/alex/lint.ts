/** What is wrong with a source, each with a patch where one is sure to leave it readable. */
import { applied, patchOf } from './edit.ts'
import { eslintFor } from './eslint.ts'
import { type Category, type Found, type Linter, linesIn, type Severity } from './finding.ts'
import { withoutKnownSafe } from './known-safe.ts'
import type { Language } from './language.ts'
import { linesOf } from './lines.ts'
import { ruff } from './ruff.ts'
import type { Source } from './source.ts'
import { sqlAppended } from './sql-appended.ts'
import { treeLinter } from './tree-lint.ts'

export interface Finding {
  readonly severity: Severity
  readonly category: Category
  readonly file: string
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 units. */
  readonly column: number
  readonly end_line: number
  readonly rule: string
  readonly message: string
  readonly why: string
  readonly fix: string
  /** A unified diff; null where no change is sure. */
  readonly patch: string | null
}

/** Who reads a language. `path` matters for JSX. */
export function linterFor(language: Language, path: string): Linter | Promise<Linter> {
  const judged = (linter: Linter): Linter =>
    pastMark({
      ...linter,
      lint: text => withoutKnownSafe(withAppended(linter, text, language), text, language, path),
    })
  if (language === 'python') return judged(ruff)
  if (language === 'javascript' || language === 'typescript') return judged(eslintFor(language, path))
  return treeLinter(language).then(judged)
}

/** Nothing more is told of lines that can't be parsed, or of a line whose SQL a linter has seen. */
function withAppended({ lint: find, unparsed }: Linter, text: string, language: Language): Found[] {
  const found = find(text)
  const isBroken = found.some(isOfSyntax)
  if (isBroken && !unparsed) return found
  const known = new Set(found.filter(({ rule }) => rule === 'S608' || rule.startsWith('sql-')).map(({ line }) => line))
  const appended = sqlAppended(text, language).filter(({ line }) => !known.has(line))
  if (appended.length === 0) return found
  const lost = linesIn(isBroken ? (unparsed?.(text) ?? []) : [])
  return [...found, ...appended.filter(({ line }) => !lost.has(line))]
}

const isOfSyntax = ({ rule }: Found): boolean => rule === 'syntax-error'

/** Whose rules those are, for people. */
export const readBy = (language: Language): string => readers[language] ?? 'rules over its syntax tree'

const readers: Readonly<Partial<Record<Language, string>>> = {
  javascript: 'ESLint',
  typescript: 'ESLint with typescript-eslint',
  python: 'ruff',
}

/** Linters count with or without the byte order mark; here none sees it, and what it changes is moved behind it. */
const pastMark = ({ lint: find, parses, unparsed }: Linter): Linter => ({
  ...(unparsed && { unparsed }),
  lint: text =>
    text.startsWith(MARK)
      ? find(text.slice(1)).map(found => ({
          ...found,
          edits: found.edits.map(({ start, end, text: instead }) => ({
            start: start + 1,
            end: end + 1,
            text: instead,
          })),
        }))
      : find(text),
  parses: text => parses(text.startsWith(MARK) ? text.slice(1) : text),
})

const MARK = '\ufeff'

/** Why a source is not read; undefined where it is. */
export function whyUnread({ path, language, text }: Source): string | undefined {
  if (language === undefined)
    return `There are no rules for its language${/\.[a-z\d]{1,10}$/i.exec(path)?.[0].replace(/.+/, ' ($&)') ?? ''}.`
  const longest = linesOf(text, language).reduce((most, line) => Math.max(most, line.length), 0)
  if (longest > LONGEST_LINE) return `It has a line of ${longest} characters: it looks generated.`
  return undefined
}

const LONGEST_LINE = 10_000

/** What a linter says of a source. */
export interface Linted {
  /** By line. */
  readonly findings: readonly Finding[]
  /** Whether its rules saw each line. */
  readonly isSeen: boolean
}

/** With `more` findings, those of another reader. Rejects where the source is too much for its linter, for example nested too deeply. */
export async function lint(
  source: Source,
  language: Language,
  isWanted: (found: Found) => boolean,
  more: readonly Found[],
): Promise<Linted> {
  const linter = await linterFor(language, source.path)
  const found = linter.lint(source.text)
  const findings = [...found, ...more]
    .filter(isWanted)
    .toSorted(byPlace)
    .slice(0, MOST_A_FILE)
    .map((found, at) =>
      findingOf(source.path, found, at < mostPatches(source.text) ? sureChange(linter, source.text, found) : null),
    )
  return { findings, isSeen: linter.unparsed ? linter.unparsed(source.text).length === 0 : !found.some(isOfSyntax) }
}

const MOST_A_FILE = 200

/** Each is tried, which takes as long as reading the file once more: of a long file fewer are. */
export const mostPatches = (text: string): number => Math.min(40, Math.floor(2_000_000 / (text.length + 1)))

export const byPlace = (a: Found, b: Found): number => a.line - b.line || a.column - b.column

/** As it is given back. */
export function findingOf(
  file: string,
  { severity, category, line, column, endLine, rule, message, why, fix }: Found,
  change: { readonly before: string; readonly after: string } | null,
): Finding {
  const patch = change && patchOf(file, change.before, change.after)
  return { severity, category, file, line, column, end_line: endLine, rule, message, why, fix, patch }
}

/** The change, where the text can still be read after it. */
function sureChange(linter: Linter, before: string, { edits }: Found): { before: string; after: string } | null {
  const after = edits.length > 0 ? applied(before, edits) : undefined
  return after !== undefined && after !== before && linter.parses(after) ? { before, after } : null
}
