/** Where an image will be: an honest box with what it will show. */
import { circle, path, rect } from '../../picture/svg.ts'
import { box, type Draw, drawn, type Part, said } from '../page/part.ts'

export const imagePlace = (description: string, style: 'place' | 'place-low' = 'place'): Part =>
  box('div', style, [drawn('place-icon', icon), said('p', 'place-said', description)])

/** A picture with a sun over hills. */
const icon: Draw = ({ x, y, width }, { onSoft }) => {
  const unit = width / 36
  const at = { transform: `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${unit.toFixed(4)})` }
  return [
    rect({ x: x + 3 * unit, y: y + 5 * unit, width: 30 * unit, height: 26 * unit }, 'none', {
      rx: 4 * unit,
      stroke: onSoft,
      'stroke-width': 2 * unit,
    }),
    circle(x + 12 * unit, y + 13.5 * unit, 3 * unit, onSoft),
    path('M5 29L14.5 19.5L19.5 24.5L25 18L32 25.5V28Q32 30 30 30H6Z', onSoft, at),
  ]
}
