/** Maya judges pages: those with planted faults, and those without any. */
import { judgeClean, judgePlanted } from '@millhand/employees/maya/seo_optimize/bar/bar.ts'
import type { Figure } from '../figure.ts'

export async function figures(): Promise<Figure[]> {
  const [clean, planted] = [judgeClean(), judgePlanted()]
  const figure = (name: string, unit: string, value: number, rest: Partial<Figure> = {}): Figure => ({
    section: 'workforce',
    name: `maya seo_optimize: ${name}`,
    unit,
    rounds: [value],
    limits: [],
    details: {},
    ...rest,
  })
  return [
    figure('planted faults found', '%', (100 * planted.found) / planted.planted, {
      aim: { least: 100 },
      details: { pages: planted.pages, faults: planted.planted },
    }),
    figure('false alarms on clean pages', '', clean.falseAlarms.length, {
      aim: { most: 0 },
      details: { pages: clean.pages, among_planted: planted.falseAlarms.length },
    }),
  ]
}
