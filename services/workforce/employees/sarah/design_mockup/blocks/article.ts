/** Text to be read. */
import { box, type Part, said, saidIf } from '../page/part.ts'
import type { Article } from '../result.ts'
import type { Place } from './place.ts'
import { innerLevel } from './section.ts'

export function article(block: Article, place: Place): Part {
  const { label, title, lead, parts } = block
  const content = [
    saidIf('p', 'label', label),
    saidIf(`h${place.level}`, place.level === 1 ? 'h1' : 'h2-start', title, { id: place.id }),
    saidIf('p', 'lead', lead),
    ...parts.flatMap(({ heading, text, quote }) => [
      saidIf(innerLevel(block, place), 'h2-small', heading),
      saidIf('p', 'text-long', text),
      quote === undefined ? undefined : box('blockquote', 'aside', [said('p', 'quote-said', quote)]),
    ]),
  ]
  const named = title === undefined ? {} : { 'aria-labelledby': place.id }
  if (place.app) return box('article', 'panel', content, named)
  return box('article', 'band', [box('div', 'narrow', content)], named)
}
