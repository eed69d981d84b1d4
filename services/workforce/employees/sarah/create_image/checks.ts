import type { Checks } from '../../src/kind.ts'
import { drawnWell } from '../picture/drawn-well.ts'
import { photographed } from './photographed.ts'
import type { Input, Result } from './result.ts'

export const checks: Checks<Input, Result> = ({ input }, { result, artifacts = [] }) => {
  if (result.picture === 'photograph') return photographed(artifacts, result)
  const drawn = drawnWell(artifacts, [result])
  if (result.picture !== 'chart' || !input.chart) return drawn
  const [colours, series] = [new Set(result.colours.shapes).size, input.chart.series.length]
  return [...drawn, { id: 'colours_of_series', pass: colours === series, value: colours, target: series }]
}
