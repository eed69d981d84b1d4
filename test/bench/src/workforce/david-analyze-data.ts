/** David analyses tables: what is planted is found, noise is left alone, and a hundred thousand rows take their time. */
import { onNoise, onPlanted } from '@millhand/workforce/employees/david/analysis/bar/measure.ts'
import { rules } from '@millhand/workforce/employees/david/analyze_data/engine.ts'
import { exampleTime } from '../brief-time.ts'
import { type Figure, median } from '../figure.ts'
import { largeTable } from './david/large-table.ts'

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
  const others = verdicts.reduce((sum, verdict) => sum + verdict.others.length, 0)
  const noise = await onNoise(100)
  const share = (100 * verdicts.filter(({ found }) => found).length) / verdicts.length
  const clean = noise.filter(findings => findings.length === 0).length
  return [
    figure('planted effects found', '%', share, { aim: { least: 100 }, details: { tables: verdicts.length, others } }),
    figure('tables of noise without a finding', 'of 100', clean, { aim: { least: 95 } }),
    figure('100,000 rows of 10 columns', 'ms', await largeTime(), { aim: { most: 2000 } }),
    await exampleTime('david', 'analyze_data'),
  ]
}

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
