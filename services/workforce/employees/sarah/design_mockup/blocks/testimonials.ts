/** What people have said: word for word, and only what is given. */
import { box, type Part, said, saidIf } from '../page/part.ts'
import type { Testimonials } from '../result.ts'
import type { Place } from './place.ts'
import { columnsFor, section } from './section.ts'

export const testimonials = (block: Testimonials, place: Place): Part =>
  section(block, place, { bare: true, width: block.quotes.length === 1 ? 'narrow' : 'wide' }, [
    box(
      'div',
      columnsFor(block.quotes.length),
      block.quotes.map(({ quote, name, role }) =>
        box('figure', 'quote', [
          box('blockquote', 'item-said', [said('p', 'quote-said', quote)]),
          box('figcaption', 'quote-by', [said('p', 'strong', name), saidIf('p', 'small', role)]),
        ]),
      ),
    ),
  ])
