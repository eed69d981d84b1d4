/** Alex reviews code with forty faults in it, and code without any. */
import { measure } from '@millhand/employees/alex/code_review/bar/bar.ts'
import type { Figure } from '../figure.ts'

export async function figures(): Promise<Figure[]> {
  const { planted, missed, patches, broken, falseAlarms, cleanFiles } = await measure()
  const figure = (name: string, value: number, rest: Partial<Figure> = {}): Figure => ({
    section: 'workforce',
    name: `alex code_review: ${name}`,
    unit: '',
    rounds: [value],
    limits: [],
    details: {},
    ...rest,
  })
  const found = planted.length - missed.length
  return [
    figure('planted faults found', found, { aim: { least: 30 }, details: { planted: planted.length } }),
    figure('patches that break parsing', broken, { aim: { most: 0 }, details: { patches } }),
    figure('false alarms in clean files', falseAlarms.length, { aim: { most: 0 }, details: { files: cleanFiles } }),
  ]
}
