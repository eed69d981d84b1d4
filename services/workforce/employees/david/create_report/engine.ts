/** Writes a report on a table: the same analysis as by itself, laid out for readers. */
import type { Answer } from '../../src/answer.ts'
import type { Brief } from '../../src/brief.ts'
import type { Rules } from '../../src/kind.ts'
import { unheeded } from '../../src/text/unheeded.ts'
import { analyse } from '../analysis/analyse.ts'
import { type AnalysisInput, tableOf } from '../analysis/input.ts'
import type { Analysis } from '../analysis/result.ts'
import { columnCharts, findingCharts, type Picture } from '../analysis/telling/charts.ts'
import { readingOf } from '../analysis/telling/reading.ts'
import { oneLine } from '../table/foreign-text.ts'
import { contentsOf, MOST_PAIRS } from './contents.ts'
import type { Quoted } from './document.ts'
import { htmlOf } from './html.ts'
import { markdownOf } from './markdown.ts'
import { pdfOf } from './pdf.ts'
import { groupNames } from './rankings.ts'

export interface ReportInput extends AnalysisInput {
  readonly title?: string
}

export interface ReportResult {
  readonly title: string
  readonly rows: number
  /** By a language model: paragraphs. */
  readonly summary?: readonly string[]
  readonly findings: readonly {
    readonly id: string
    readonly statement: string
    readonly sql: string
    readonly value: number
  }[]
  readonly sections: readonly string[]
  readonly numbers: readonly Quoted[]
}

/** What Roboto has letters for. */
const KNOWN_SCRIPTS = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]*$/u

export const rules: Rules<ReportInput, ReportResult> = async brief => {
  const { warnings = [], ...answer } = await reportOf(await studied(brief))
  return { ...answer, warnings: [...warnings, ...unheeded(brief)] }
}

/** What a report is about, before it is written. */
interface Study {
  readonly title: string
  readonly analysis: Analysis
  readonly pictures: readonly Picture[]
  readonly warnings: readonly string[]
  /** Values of its categories. */
  readonly groups: readonly string[]
}

export async function studied(brief: Brief<ReportInput>): Promise<Study> {
  const table = await tableOf(brief)
  const { analysis, warnings } = await analyse(table, {
    times: brief.input.time_column,
    level: brief.input.level,
    provedPairs: MOST_PAIRS,
  })
  const title = oneLine(brief.input.title ?? brief.topic).slice(0, 200) || 'Report'
  return {
    title,
    analysis,
    pictures: [...findingCharts(table, analysis, brief.seed), ...columnCharts(analysis)],
    warnings,
    groups: groupNames(table),
  }
}

/** `words` are paragraphs that begin it. */
export async function reportOf(study: Study, words: readonly string[] = []): Promise<Answer<ReportResult>> {
  const { title, analysis, pictures, warnings } = study
  const { report, numbers } = contentsOf(title, analysis, pictures, warnings, words)
  const [markdown, html] = [markdownOf(report), htmlOf(report)]
  const encode = (text: string) => new TextEncoder().encode(text)
  return {
    result: {
      title,
      rows: analysis.rows,
      ...(words.length > 0 && { summary: words }),
      findings: analysis.findings.map(({ id, statement, sql, value }) => ({ id, statement, sql, value })),
      sections: report.sections.map(({ heading }) => heading),
      numbers,
    },
    text: [...words, readingOf(analysis)].join('\n\n'),
    artifacts: [
      { name: 'report.pdf', media_type: 'application/pdf', bytes: await pdfOf(report) },
      { name: 'report.html', media_type: 'text/html', bytes: encode(html) },
      { name: 'report.md', media_type: 'text/markdown', bytes: encode(markdown) },
      ...pictures.map(({ name, svg }) => ({ name, media_type: 'image/svg+xml', bytes: encode(svg) })),
    ],
    warnings: [
      ...warnings,
      ...(KNOWN_SCRIPTS.test(markdown)
        ? []
        : ['The PDF has no letters for some of the scripts used; HTML and Markdown do.']),
    ],
  }
}
