/** A few figures, as they are given. */
import { box, type Part, said, saidIf } from '../page/part.ts'
import type { Stats } from '../result.ts'
import type { Place } from './place.ts'
import { columnsFor, section } from './section.ts'

export const stats = (block: Stats, place: Place): Part =>
  section(block, place, { bare: true }, [
    box(
      'div',
      columnsFor(block.items.length, 4),
      block.items.map(({ label, value, note }) =>
        box('div', 'stat', [said('p', 'small', label), said('p', 'figures', value), saidIf('p', 'small', note)]),
      ),
    ),
  ])
