/** Writes a report on a table: the same analysis as by itself, laid out for readers. */
import type { Rules } from '../../../src/kind.ts'
import { unheeded } from '../../../src/unheeded.ts'
import { analyse } from '../analysis/analyse.ts'
import { type AnalysisInput, tableOf } from '../analysis/input.ts'
import { columnCharts, findingCharts } from '../analysis/telling/charts.ts'
import { readingOf } from '../analysis/telling/reading.ts'
import { oneLine } from '../table/foreign-text.ts'
import { contentsOf, MOST_PAIRS } from './contents.ts'
import type { Quoted } from './document.ts'
import { htmlOf } from './html.ts'
import { markdownOf } from './markdown.ts'
import { pdfOf } from './pdf.ts'

export interface ReportInput extends AnalysisInput {
  readonly title?: string
}

export interface ReportResult {
  readonly title: string
  readonly rows: number
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
  const table = await tableOf(brief)
  const { analysis, warnings } = await analyse(table, {
    times: brief.input.time_column,
    level: brief.input.level,
    provedPairs: MOST_PAIRS,
  })
  const title = oneLine(brief.input.title ?? brief.topic).slice(0, 200) || 'Report'
  const pictures = [...findingCharts(table, analysis, brief.seed), ...columnCharts(analysis)]
  const { report, numbers } = contentsOf(title, analysis, pictures, warnings)
  const [markdown, html] = [markdownOf(report), htmlOf(report)]
  const encode = (text: string) => new TextEncoder().encode(text)
  return {
    result: {
      title,
      rows: analysis.rows,
      findings: analysis.findings.map(({ id, statement, sql, value }) => ({ id, statement, sql, value })),
      sections: report.sections.map(({ heading }) => heading),
      numbers,
    },
    text: readingOf(analysis),
    artifacts: [
      { name: 'report.pdf', media_type: 'application/pdf', bytes: await pdfOf(report) },
      { name: 'report.html', media_type: 'text/html', bytes: encode(html) },
      { name: 'report.md', media_type: 'text/markdown', bytes: encode(markdown) },
      ...pictures.map(({ name, svg }) => ({ name, media_type: 'image/svg+xml', bytes: encode(svg) })),
    ],
    warnings: [
      ...warnings,
      ...unheeded(brief),
      ...(KNOWN_SCRIPTS.test(markdown)
        ? []
        : ['The PDF has no letters for some of the scripts used; HTML and Markdown do.']),
    ],
  }
}
