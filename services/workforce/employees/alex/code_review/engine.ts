/** Reviews code with linters in memory: ESLint, ruff, and rules of our own over syntax trees. */
import type { Answer } from '../../src/answer.ts'
import { type Brief, Refusal } from '../../src/brief.ts'
import { unheeded } from '../../src/text/unheeded.ts'
import { plain, severities } from '../finding.ts'
import { type Finding, whyUnread } from '../lint.ts'
import { type Source, sourcesOf } from '../source.ts'
import { TYPES_LEFT, typeFindings } from '../type-lint.ts'
import { TooLong } from '../within.ts'
import { changesOf } from './changes.ts'
import { parseBudget } from './piece.ts'
import { nestingReason, type Read, readChange, readWhole, type Types } from './read.ts'
import type { Input, Result } from './result.ts'

const MOST_FINDINGS = 500

export async function rules(brief: Brief<Input>): Promise<Answer<Result>> {
  const sources = sourcesOf(brief)
  const changes = brief.input.diff === undefined ? undefined : changesOf(brief.input.diff)
  if (sources.length === 0 && !changes)
    throw new Refusal('input.code', 'Give code to review: `code`, `files` or `diff`, or files of the task.')
  const { typed, warnings } = typesOf(sources)
  const read: Read[] = []
  // One after the other: what a linter holds is freed before the next file.
  const reviewed = { typed, budget: parseBudget() }
  if (changes) for (const change of changes) read.push(await readChange(change, sources, reviewed))
  else for (const source of sources) read.push(await readWhole(source, reviewed))
  const isWanted = wanted(brief.input)
  const all = read
    .flatMap(({ findings }) => findings)
    .filter(isWanted)
    .toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity))
  const findings = all.slice(0, MOST_FINDINGS)
  const files = read.filter(({ by }) => by !== undefined)
  const count = (severity: string) =>
    files.length === 0 ? null : findings.filter(finding => finding.severity === severity).length
  const result: Result = {
    summary: {
      files: files.length,
      lines: files.reduce((sum, { lines }) => sum + lines, 0),
      errors: count('error'),
      warnings: count('warning'),
      infos: count('info'),
    },
    findings,
    read: files.map(({ file, lines, by = '', whole }) => ({ file, lines, by, whole })),
    not_read: read.flatMap(({ file, unread }) => (unread === undefined ? [] : { file, reason: unread })),
  }
  const left = read.flatMap(({ file, unread, isEmpty }) =>
    unread === undefined || isEmpty ? [] : plain(`${file}: ${unread}`),
  )
  return {
    result,
    text: readingOf(result),
    warnings: [
      ...(all.length > findings.length ? [`${all.length - findings.length} more findings are left out.`] : []),
      ...left,
      ...warnings,
      ...unheeded(brief),
    ],
  }
}

/** Of files that are given whole: names and properties may stand in each other. */
function typesOf(sources: readonly Source[]): { readonly typed: Types; readonly warnings: string[] } {
  try {
    return { typed: typeFindings(sources.filter(source => whyUnread(source) === undefined)), warnings: [] }
  } catch (error) {
    if (error instanceof TooLong) return { typed: new Map(), warnings: [TYPES_LEFT] }
    nestingReason(error)
    return { typed: new Map(), warnings: [] }
  }
}

function wanted({ min_severity = 'info', ignore_rules = [] }: Input): (finding: Finding) => boolean {
  const most = severities.indexOf(min_severity)
  return ({ severity, rule }) => severities.indexOf(severity) <= most && !ignore_rules.includes(rule)
}

/** The review as plain text, the worst first. */
function readingOf({ summary, findings, not_read }: Result): string {
  const { files, lines, errors, warnings, infos } = summary
  const left = not_read.slice(0, MOST_TOLD).map(({ file, reason }) => `${plain(file)}: ${reason}`)
  if (errors === null || warnings === null || infos === null) return ['Nothing was read.', ...left].join('\n\n')
  const found = [counted(errors, 'error'), counted(warnings, 'warning'), counted(infos, 'note')].join(', ')
  const head = `${counted(files, 'file')}, ${counted(lines, 'line')} read: ${found}.`
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
  const unread = left.length > 0 ? [['Not read:', ...left].join('\n  ')] : []
  return [head, ...told, ...rest, ...unread].join('\n\n')
}

const MOST_TOLD = 50

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
