/** Sarah designs mock-ups: what is measured on them over many colours of a brand, and how long they take. */
import { readFileSync } from 'node:fs'
import { checks } from '@millhand/employees/sarah/design_mockup/checks.ts'
import { rules } from '@millhand/employees/sarah/design_mockup/engine.ts'
import type { Figure } from '../figure.ts'

const COLOURS = 24

const example = new URL(import.meta.resolve('@millhand/employees/sarah/design_mockup/example.json'))

export async function figures(): Promise<Figure[]> {
  const { input: given, seed } = JSON.parse(readFileSync(example, 'utf8'))
  const measured: Awaited<ReturnType<typeof checks>>[] = []
  for (let at = 0; at < COLOURS; at++) {
    const [base_color, theme] = [`oklch(${(at % 8) / 7} 0.15 ${(360 * at) / COLOURS})`, at % 2 ? 'dark' : 'light']
    const input = { ...given, base_color, theme, viewports: ['mobile'] }
    const brief = { topic: '', tone: '', constraints: {}, files: [], seed, input }
    measured.push(await checks(brief, await rules(brief)))
  }
  const worst = (id: string, of: (...values: number[]) => number) =>
    of(...measured.map(all => Number(all.find(check => check.id === id)?.value)))
  const figure = (name: string, value: number, aim: Figure['aim'] & {}): Figure => ({
    section: 'workforce',
    name: `sarah design_mockup: ${name}`,
    unit: '',
    rounds: [value],
    aim,
    limits: [],
    details: { colours: COLOURS },
  })
  return [
    figure('least contrast of a text', worst('least_contrast', Math.min), { least: 4.5 }),
    figure('pixels of a text outside its box', worst('no_text_outside_its_box_px', Math.max), { most: 0 }),
    figure('texts on another', worst('no_texts_that_overlap', Math.max), { most: 0 }),
  ]
}
