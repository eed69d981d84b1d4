/** Sarah draws pictures: what is measured on 500 of any texts and numbers, and how long the example takes. */
import { picturesOf } from '@millhand/employees/sarah/create_image/bar/any-picture.ts'
import { checks } from '@millhand/employees/sarah/create_image/checks.ts'
import { rules } from '@millhand/employees/sarah/create_image/engine.ts'
import type { Figure } from '../figure.ts'

const [PICTURES, SEED] = [500, 1]

export async function figures(): Promise<Figure[]> {
  const measured: ReturnType<typeof checks>[] = []
  for (const [seed, input] of picturesOf(PICTURES, SEED).entries()) {
    const brief = { topic: '', tone: '', constraints: {}, files: [], seed, input }
    measured.push(checks(brief, await rules(brief)))
  }
  const values = (id: string) => measured.map(all => Number(all.find(check => check.id === id)?.value))
  const figure = (name: string, value: number, aim: Figure['aim'] & {}): Figure => ({
    section: 'workforce',
    name: `sarah create_image: ${name}`,
    unit: '',
    rounds: [value],
    aim,
    limits: [],
    details: { pictures: PICTURES, seed: SEED },
  })
  const outside = values('no_text_outside_its_box_px').filter(pixels => pixels > 0.01).length
  const overlaps = values('no_texts_that_overlap').reduce((sum, count) => sum + count, 0)
  return [
    figure('pictures with a text outside its box', outside, { most: 0 }),
    figure('texts on another', overlaps, { most: 0 }),
    figure('least contrast of a text', Math.min(...values('least_contrast')), { least: 4.5 }),
  ]
}
