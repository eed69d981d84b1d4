/** Looks into a table and tells what stands out in it. */
import type { Rules } from '../../src/kind.ts'
import { unheeded } from '../../src/text/unheeded.ts'
import { analyse } from '../analysis/analyse.ts'
import { type AnalysisInput, tableOf } from '../analysis/input.ts'
import type { Analysis } from '../analysis/result.ts'
import { columnCharts, findingCharts } from '../analysis/telling/charts.ts'
import { readingOf } from '../analysis/telling/reading.ts'
import { columnsTable, findingsTable } from '../analysis/telling/tables.ts'

export const rules: Rules<AnalysisInput, Analysis> = async brief => {
  const table = await tableOf(brief)
  const { analysis, warnings } = await analyse(table, { times: brief.input.time_column, level: brief.input.level })
  const encode = (text: string) => new TextEncoder().encode(text)
  return {
    result: analysis,
    text: readingOf(analysis),
    artifacts: [
      ...[...findingCharts(table, analysis, brief.seed), ...columnCharts(analysis)].map(({ name, svg }) => ({
        name,
        media_type: 'image/svg+xml',
        bytes: encode(svg),
      })),
      { name: 'columns.csv', media_type: 'text/csv', bytes: encode(columnsTable(analysis)) },
      { name: 'findings.csv', media_type: 'text/csv', bytes: encode(findingsTable(analysis)) },
    ],
    warnings: [...warnings, ...unheeded(brief)],
  }
}
