/** What something does, point by point, each with a small shape. */
import { ornament } from '../../scene/ornament.ts'
import { box, drawn, type Part, said, saidIf } from '../page/part.ts'
import type { Features } from '../result.ts'
import type { Place } from './place.ts'
import { columnsFor, innerLevel, section } from './section.ts'

export const features = (block: Features, place: Place): Part =>
  section(block, place, {}, [
    box(
      'div',
      columnsFor(block.items.length),
      block.items.map(({ title, text }, at) =>
        box('div', 'feature', [
          drawn('icon', (room, theme) => [ornament(room, 2, theme, at + 2)]),
          said(innerLevel(block, place), 'h3', title),
          saidIf('p', 'muted', text),
        ]),
      ),
    ),
  ])
