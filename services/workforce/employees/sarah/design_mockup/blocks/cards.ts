/** Things beside each other: articles, products, people. */
import { box, type Part, said, saidIf } from '../page/part.ts'
import type { Cards } from '../result.ts'
import { action as leading } from './action.ts'
import { imagePlace } from './image-place.ts'
import type { Place } from './place.ts'
import { columnsFor, innerLevel, section } from './section.ts'

export const cards = (block: Cards, place: Place): Part =>
  section(block, place, { bare: true }, [
    box(
      'div',
      columnsFor(block.items.length),
      block.items.map(({ title, text, meta, image, action }) =>
        box('article', 'card', [
          image === undefined ? undefined : imagePlace(image, 'place-low'),
          box('div', 'card-body', [
            saidIf('p', 'small', meta),
            said(innerLevel(block, place), 'h3', title),
            saidIf('p', 'muted', text),
          ]),
          action === undefined ? undefined : leading(action, 'link'),
        ]),
      ),
    ),
  ])
