/** The frame of a block: what it is called, and its content below. */
import { box, type Part, said, saidIf } from '../page/part.ts'
import type { StyleName } from '../page/sheet.ts'
import type { Place } from './place.ts'

interface Headed {
  readonly title?: string
  readonly text?: string
}

interface Frame {
  /** How wide the content is on a page. */
  readonly width?: 'wide' | 'narrow' | 'slim'
  readonly tinted?: boolean
  /** In an app: without a frame of its own. */
  readonly bare?: boolean
}

export function section(
  { title, text }: Headed,
  place: Place,
  { width = 'wide', tinted = false, bare = false }: Frame,
  content: readonly (Part | undefined)[],
): Part {
  const named = title === undefined ? {} : { 'aria-labelledby': place.id }
  const styles: readonly [StyleName, StyleName, StyleName] = place.app
    ? ['intro-start', 'h2-panel', 'muted']
    : ['intro', 'h2', 'lead-middle']
  const heading = (style: StyleName) =>
    title === undefined ? undefined : said(`h${place.level}`, place.level === 1 ? 'h1' : style, title, { id: place.id })
  const intro =
    title === undefined && text === undefined
      ? undefined
      : box('div', styles[0], [heading(styles[1]), saidIf('p', styles[2], text)])
  if (place.app) return box('section', bare ? 'bare' : 'panel', [intro, ...content], named)
  return box('section', tinted ? 'band-tinted' : 'band', [intro, box('div', width, content)], named)
}

/** Of what stands in a block: one below its own heading, if it has any. */
export const innerLevel = ({ title }: Headed, { level }: Place): 'h2' | 'h3' =>
  title === undefined ? (level === 1 ? 'h2' : `h${level}`) : level === 1 ? 'h2' : 'h3'

/** As many columns as look well with so many things. */
export const columnsFor = (count: number, most: 3 | 4 = 3): StyleName =>
  count === 1 ? 'one' : count === 2 ? 'two' : most === 4 && count % 3 !== 0 ? 'four' : count === 4 ? 'two' : 'three'
