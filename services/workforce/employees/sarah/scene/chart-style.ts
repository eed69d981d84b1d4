/** How the parts of a chart look. */
import { element, type Svg } from '../picture/svg.ts'
import { fitText } from '../type/set.ts'
import type { Theme } from './theme.ts'

export type Point = readonly [x: number, y: number]

/** `em` is a size in pixels. */
export const plain = ({ body }: Theme, em: number) =>
  ({ family: body, weight: 400, size: em, smallest: 0.6 * em, leading: 1.3 }) as const

export const colourOf = ({ series, ink }: Theme, at: number): string => series[at] ?? ink

/** Lines differ in their dashes too: colour alone tells some readers nothing (WCAG 1.4.1). */
export function lineOf(points: readonly Point[], theme: Theme, at: number, em: number): Svg {
  const dashes = [undefined, [0.7, 0.35], [0.15, 0.35], [0.9, 0.3, 0.15, 0.3]][at % 4]
  return element('polyline', {
    points: points.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(' '),
    fill: 'none',
    stroke: colourOf(theme, at),
    'stroke-width': 0.18 * em,
    'stroke-linejoin': 'round',
    'stroke-dasharray': dashes?.map(length => (length * em).toFixed(2)).join(' '),
  })
}

/** As a chart writes it: six digits, large ones with a letter, tiny ones with their power of ten. */
export const numberText = (value: number): string =>
  (value !== 0 && Math.abs(value) < 1e-4 ? POWERS : COMPACT).format(value)

/** How the values of one chart are written: 11,393 where 11.393K is longer and no value reaches a million. */
export function valueWriter(values: readonly number[]): (value: number) => string {
  const isFull =
    values.every(value => Math.abs(value) < 1e6) &&
    values.some(value => Math.abs(value) >= 1000 && numberText(value).length > FULL.format(value).length)
  return value => (isFull && Math.abs(value) >= 1000 ? FULL.format(value) : numberText(value))
}

const FULL = new Intl.NumberFormat('en', { maximumSignificantDigits: 6 })
const COMPACT = new Intl.NumberFormat('en', { maximumSignificantDigits: 6, notation: 'compact' })
const POWERS = new Intl.NumberFormat('en', { maximumSignificantDigits: 4, notation: 'scientific' })

/** How wide a text is on one line, in pixels. */
export const widthOf = (said: string, theme: Theme, em: number): number =>
  said === '' ? 0 : fitText(said, { ...plain(theme, em), smallest: em }, { width: Infinity, height: Infinity }).width
