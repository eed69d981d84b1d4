/** Numbers as bars or lines. */
import { plot } from '../../scene/plot.ts'
import { drawn, type Part } from '../page/part.ts'
import type { Chart } from '../result.ts'
import type { Place } from './place.ts'
import { section } from './section.ts'

export function chart(block: Chart, place: Place): Part {
  const { series, labels, unit } = block
  const all = series.map(({ name = '', values }) => {
    const said = labels.map((label, at) => `${label} ${values[at]}`).join(', ')
    return name === '' ? said : `${name}: ${said}`
  })
  const alternative = [block.title, unit, ...all].filter(Boolean).join('. ')
  return section(block, place, {}, [drawn('plot', (room, theme) => plot(block, room, theme, 14), alternative)])
}
