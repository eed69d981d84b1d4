/** David analyses tables: what is planted is found, noise is left alone, and a hundred thousand rows take their time. */
import { onNoise, onPlanted } from '@millhand/employees/david/analysis/bar/measure.ts'
import { lastingNoise, noise } from '@millhand/employees/david/analysis/bar/noise.ts'
import { rules } from '@millhand/employees/david/analyze_data/engine.ts'
import { type Figure, median } from '../figure.ts'
import { largeTable } from './david/large-table.ts'

const TABLES = 400
/** What is promised is one finding in a hundred tables: more than eleven of 400 have one in 0.1 % of runs. */
const CLEAN = TABLES - 11

export async function figures(): Promise<Figure[]> {
  const figure = (name: string, unit: string, value: number, rest: Partial<Figure> = {}): Figure => ({
    section: 'workforce',
    name: `david analyze_data: ${name}`,
    unit,
    rounds: [value],
    limits: [],
    details: {},
    ...rest,
  })
  const verdicts = await onPlanted()
  const besides = verdicts.filter(({ others }) => others.length > 0).length
  const share = (100 * verdicts.filter(({ found }) => found).length) / verdicts.length
  return [
    figure('planted effects found', '%', share, { aim: { least: 100 }, details: { tables: verdicts.length } }),
    figure('tables with a finding beside what was planted', `of ${verdicts.length}`, besides, { aim: { most: 2 } }),
    figure('tables of noise without a finding', `of ${TABLES}`, await clean(noise), { aim: { least: CLEAN } }),
    figure('tables of lasting noise without a finding', `of ${TABLES}`, await clean(lastingNoise), {
      aim: { least: CLEAN },
    }),
    figure('100,000 rows of 10 columns', 'ms', await largeTime(), { aim: { most: 2000 } }),
  ]
}

const clean = async (make: typeof noise): Promise<number> =>
  (await onNoise(TABLES, undefined, make)).filter(findings => findings.length === 0).length

/** The median of five, with everything that is loaded for the first one loaded. */
async function largeTime(): Promise<number> {
  const brief = { topic: '', tone: '', constraints: {}, files: [], seed: 1, input: { csv: largeTable() } }
  const times: number[] = []
  for (let time = 0; time <= 5; time++) {
    const began = performance.now()
    await rules(brief)
    times.push(performance.now() - began)
  }
  return median(times.slice(1))
}
