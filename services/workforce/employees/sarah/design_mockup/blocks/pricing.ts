/** Plans with their prices, as they are given. */
import { path } from '../../picture/svg.ts'
import { box, type Draw, drawn, type Part, said, saidIf } from '../page/part.ts'
import type { Plan, Pricing } from '../result.ts'
import { action as leading } from './action.ts'
import type { Place } from './place.ts'
import { columnsFor, innerLevel, section } from './section.ts'

export const pricing = (block: Pricing, place: Place): Part =>
  section(block, place, { bare: true }, [
    box(
      'div',
      columnsFor(block.plans.length, 4),
      block.plans.map(each => plan(each, innerLevel(block, place))),
    ),
  ])

function plan({ name, price, per, text, points = [], action, first = false }: Plan, heading: string): Part {
  return box('article', first ? 'plan-first' : 'plan', [
    said(heading, 'h3', name),
    box('div', 'plan-price', [said('p', 'price', price), saidIf('p', 'small', per)]),
    saidIf('p', 'muted', text),
    box(
      points.length === 0 ? 'div' : 'ul',
      'plan-list',
      points.map(point => box('li', 'plan-point', [drawn('tick', tick), said('p', 'point-said', point)])),
    ),
    action === undefined ? undefined : leading(action, first ? 'button' : 'button-quiet'),
  ])
}

const tick: Draw = ({ x, y }, { link }) => [
  path('M2 12.5L7 17.5L16 6.5', 'none', {
    transform: `translate(${x.toFixed(2)} ${y.toFixed(2)})`,
    stroke: link,
    'stroke-width': 2.2,
    'stroke-linecap': 'round',
    'stroke-linejoin': 'round',
  }),
]
