/** Alex documents this project's own sources; what the parsers list is the measure. */
import { measure } from '@millhand/employees/alex/documentation/bar/bar.ts'
import type { Figure } from '../figure.ts'

export async function figures(): Promise<Figure[]> {
  const scores = await measure()
  return [
    ...scores.map(
      ({ language, files, names, missed, unwritten }): Figure => ({
        section: 'workforce',
        name: `alex documentation: names of ${language} that are there`,
        unit: '%',
        rounds: [(100 * (names - missed)) / names],
        aim: { least: 100 },
        limits: [],
        details: { files, names, signatures_missed: unwritten },
      }),
    ),
  ]
}
