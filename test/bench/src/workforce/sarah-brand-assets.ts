/** Sarah makes brand assets: how well their colours can be read over many seeds, and how long they take. */
import { checks } from '@millhand/employees/sarah/brand_assets/checks.ts'
import { rules } from '@millhand/employees/sarah/brand_assets/engine.ts'
import type { Figure } from '../figure.ts'

const SEEDS = 25

export async function figures(): Promise<Figure[]> {
  const values: unknown[] = []
  for (let seed = 0; seed < SEEDS; seed++) {
    const brief = { topic: '', tone: '', constraints: {}, files: [], seed, input: { name: 'Alder & Finch' } }
    values.push(checks(brief, await rules(brief)).find(({ id }) => id === 'least_contrast_of_pairs')?.value)
  }
  return [
    {
      section: 'workforce',
      name: 'sarah brand_assets: least contrast of a pair',
      unit: '',
      rounds: [Math.min(...values.map(Number))],
      aim: { least: 4.5 },
      limits: [],
      details: { seeds: SEEDS },
    },
  ]
}
