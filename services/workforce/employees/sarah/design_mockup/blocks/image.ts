/** A place for an image by itself. */
import { box, type Part, saidIf } from '../page/part.ts'
import type { Picture } from '../result.ts'
import { imagePlace } from './image-place.ts'
import type { Place } from './place.ts'

export function image({ image: description, caption }: Picture, { app }: Place): Part {
  const figure = box('figure', 'figure', [imagePlace(description), saidIf('figcaption', 'small', caption)])
  return app ? figure : box('div', 'band', [box('div', 'wide', [figure])])
}
