/** Numbers as bars or lines. */
import { numbersAloud } from '../../scene/numbers-aloud.ts'
import { plot } from '../../scene/plot.ts'
import { drawn, type Part } from '../page/part.ts'
import type { Chart } from '../result.ts'
import type { Place } from './place.ts'
import { section } from './section.ts'

export function chart(block: Chart, place: Place): Part {
  const alternative = [block.title, numbersAloud(block)].filter(Boolean).join('. ')
  return section(block, place, {}, [drawn('plot', (room, theme) => plot(block, room, theme, 14).svg, alternative)])
}
