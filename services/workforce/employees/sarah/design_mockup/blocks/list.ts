/** Things below each other, with a line between. */
import { box, type Part, said, saidIf } from '../page/part.ts'
import type { List } from '../result.ts'
import type { Place } from './place.ts'
import { section } from './section.ts'

export const list = (block: List, place: Place): Part =>
  section(block, place, { width: 'narrow' }, [
    box(
      'ul',
      'list',
      block.items.map(({ title, text, meta }, at) =>
        box('li', at === 0 ? 'item' : 'item-below', [
          box('div', 'item-said', [said('p', 'strong', title), saidIf('p', 'muted', text)]),
          saidIf('p', 'meta', meta),
        ]),
      ),
    ),
  ])
