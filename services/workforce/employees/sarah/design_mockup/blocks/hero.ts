/** The beginning of a page: what it is about, and what to do. With an image beside it, without one in the middle. */
import { box, type Part, said, saidIf } from '../page/part.ts'
import type { Hero } from '../result.ts'
import { actions } from './action.ts'
import { imagePlace } from './image-place.ts'
import type { Place } from './place.ts'

export function hero({ label, title, text, actions: all, image }: Hero, { id, level, app }: Place): Part {
  const split = image !== undefined || app
  const content = [
    saidIf('p', 'label', label),
    said(`h${level}`, app ? 'h1' : split ? 'display' : 'display-middle', title, { id }),
    saidIf('p', split ? 'lead' : 'lead-middle', text),
    actions(all, split ? 'actions' : 'actions-middle'),
  ]
  const named = { 'aria-labelledby': id }
  if (app) return box('section', 'bare', [...content, image === undefined ? undefined : imagePlace(image)], named)
  const inner = split
    ? box('div', 'hero-split', [
        box('div', 'hero-said', content),
        image === undefined ? undefined : box('div', 'hero-side', [imagePlace(image)]),
      ])
    : box('div', 'hero-middle', content)
  return box('section', 'hero', [inner], named)
}
