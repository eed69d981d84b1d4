import type { ChartInput } from './chart.ts'

/** The numbers of a chart as somebody hears them who does not see it. */
export function numbersAloud({ labels, series, unit }: ChartInput): string {
  const all = series.map(({ name = '', values }) => {
    const said = labels.map((label, at) => `${label} ${values[at]}`).join(', ')
    return name === '' ? said : `${name}: ${said}`
  })
  return [unit, ...all].filter(Boolean).join('. ')
}
