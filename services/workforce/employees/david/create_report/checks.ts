/** What is measured on a report: its numbers against their queries, and whether they stand in it. */
import type { SlowChecks } from '../../../src/kind.ts'
import { wishes } from '../../../src/text/wishes.ts'
import { tableOf } from '../analysis/input.ts'
import { unproved } from '../analysis/proof.ts'
import type { ReportInput, ReportResult } from './engine.ts'
import { plain as markdownText } from './markdown.ts'
import { unfaithful } from './phrase.ts'

export const checks: SlowChecks<ReportInput, ReportResult> = async (brief, { result, text, artifacts = [] }) => {
  const table = await tableOf(brief)
  const bySql = Map.groupBy(result.numbers, ({ sql }) => sql)
  const claims = [...bySql].map(([sql, numbers]) => ({
    sql,
    values: Object.fromEntries(numbers.map(({ name, value }) => [name, value])),
  }))
  const wrong = await unproved(table, claims)
  const bytesOf = (name: string) => artifacts.find(artifact => artifact.name === name)?.bytes ?? new Uint8Array()
  const pages = ['report.md', 'report.html'].map(name => new TextDecoder().decode(bytesOf(name)))
  const written = pages.map(numbersIn)
  const unsaid = result.numbers.filter(({ shown }) => written.some(all => !all.has(shown.replace(/^-/, '')))).length
  const scripts = (pages[1] ?? '').split(/<script/i).length - 1
  const isPdf = new TextDecoder('latin1').decode(bytesOf('report.pdf').subarray(0, 5)) === '%PDF-'
  const { summary } = result
  // What the report says besides it.
  const rest = summary?.reduce(
    (known, paragraph) => known.replace(markdownText(paragraph), '').replace(paragraph, ''),
    `${pages[0]}\n${text}`,
  )
  const beyond = summary ? unfaithful(summary, [rest?.replaceAll('\\', '') ?? '', brief.topic]).length : 0
  return [
    { id: 'numbers_other_than_their_query', pass: wrong.length === 0, value: wrong.length, target: 0 },
    { id: 'numbers_not_in_the_report', pass: unsaid === 0, value: unsaid, target: 0 },
    { id: 'pdf', pass: isPdf, value: bytesOf('report.pdf').length, target: 'a PDF file' },
    { id: 'scripts', pass: scripts === 0, value: scripts, target: 0 },
    ...(summary
      ? [
          { id: 'summary_beyond_the_report', pass: beyond === 0, value: beyond, target: 0 },
          ...wishes(brief.constraints, summary.join('\n')),
        ]
      : []),
  ]
}

/** Whole ones, outside of pictures: a 5 does not stand in 15. */
const numbersIn = (page: string): ReadonlySet<string> =>
  new Set(page.replaceAll(/<svg[\s\S]*?<\/svg>/g, ' ').match(/(?<![\d.])\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?/g))
