/** Alex reads what real programs said when they failed. */
import { measure } from '@millhand/employees/alex/debug/bar/bar.ts'
import type { Figure } from '../figure.ts'

export async function figures(): Promise<Figure[]> {
  const cases = await measure()
  const figure = (name: string, value: number, rest: Partial<Figure> = {}): Figure => ({
    section: 'workforce',
    name: `alex debug: ${name}`,
    unit: '',
    rounds: [value],
    limits: [],
    details: {},
    ...rest,
  })
  const right = cases.filter(each => each.right).length
  const explained = cases.filter(({ result }) => result.causes.length > 0).length
  const changed = cases.filter(({ result }) => result.change !== null).length
  const languages = new Set(cases.map(({ result }) => result.language)).size
  return [
    figure('failing frames that are right', right, {
      aim: { least: cases.length },
      details: { traces: cases.length, languages },
    }),
    figure('traces with a likely cause', explained, { details: { traces: cases.length } }),
    figure('traces with a change that the linter proves', changed, { details: { traces: cases.length } }),
  ]
}
