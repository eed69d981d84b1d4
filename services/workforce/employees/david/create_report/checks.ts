/** What is measured on a report: its numbers against their queries, and whether they stand in it. */
import { wordsCheck } from '../../src/claims/claim-checks.ts'
import type { SlowChecks } from '../../src/kind.ts'
import { wishes } from '../../src/text/constraint-checks.ts'
import { said } from '../analysis/effects/effect.ts'
import { tableOf } from '../analysis/input.ts'
import { timeSaid } from '../analysis/profile.ts'
import { unproved } from '../analysis/proof.ts'
import type { Quoted } from './document.ts'
import type { ReportInput, ReportResult } from './engine.ts'
import { plain as markdownText } from './markdown.ts'
import { unfaithful } from './phrase.ts'
import { groupNames, unfoundedRankings } from './rankings.ts'

export const checks: SlowChecks<ReportInput, ReportResult> = async (brief, { result, text, artifacts = [] }) => {
  const table = await tableOf(brief)
  const claims = result.numbers.map(({ name, value, sql }) => ({ sql, values: { [name]: value } }))
  const wrong = await unproved(table, claims)
  const miswritten = result.numbers.filter(({ shown, value }) => !waysToWrite(value).includes(shown)).length
  const bytesOf = (name: string) => artifacts.find(artifact => artifact.name === name)?.bytes ?? new Uint8Array()
  const pages = ['report.md', 'report.html'].map(name => new TextDecoder().decode(bytesOf(name)))
  const unsaid = Math.max(...pages.map(page => missingIn(page, result.numbers)))
  const scripts = (pages[1] ?? '').split(/<script/i).length - 1
  const isPdf = new TextDecoder('latin1').decode(bytesOf('report.pdf').subarray(0, 5)) === '%PDF-'
  const { summary } = result
  // What the report says besides it.
  const rest = summary?.reduce(
    (known, paragraph) => known.replace(markdownText(paragraph), '').replace(paragraph, ''),
    `${pages[0]}\n${text}`,
  )
  const statements = result.findings.map(({ statement }) => statement)
  const beyond = summary
    ? unfaithful(summary, [rest?.replaceAll('\\', '') ?? '', brief.topic]).length +
      unfoundedRankings(summary, groupNames(table), statements).length
    : 0
  return [
    { id: 'no_numbers_other_than_their_query', pass: wrong.length === 0, value: wrong.length, target: 0 },
    { id: 'no_numbers_written_otherwise', pass: miswritten === 0, value: miswritten, target: 0 },
    { id: 'no_numbers_outside_the_report', pass: unsaid === 0, value: unsaid, target: 0 },
    { id: 'pdf', pass: isPdf, value: bytesOf('report.pdf').length, target: 'a PDF file' },
    { id: 'no_scripts', pass: scripts === 0, value: scripts, target: 0 },
    ...(summary
      ? [
          wordsCheck('summary_keeps_to_the_report', summary.join('\n'), beyond),
          ...wishes(brief.constraints, summary.join('\n')),
        ]
      : []),
  ]
}

const waysToWrite = (value: number): readonly string[] => [
  said(value),
  ...(Number.isNaN(new Date(value).getTime()) ? [] : [timeSaid(value)]),
]

/** How many do not stand in the page in their order, each after the one before it: whole, as a 5 does not stand in 15. */
function missingIn(page: string, numbers: readonly Quoted[]): number {
  const written: readonly string[] = page.replaceAll(/<svg[\s\S]*?<\/svg>|\\/g, '').match(TIME_OR_NUMBER) ?? []
  let [at, missing] = [0, 0]
  for (const { shown } of numbers) {
    const found = written.indexOf(shown.replace(/^-/, ''), at)
    if (found < 0) missing++
    else at = found + 1
  }
  return missing
}

const TIME_OR_NUMBER = /(?<![\d.])(?:\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?|\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?)/g
