/** What can be said of how a part of a page looks, and of the windows that it is seen in. Lengths are in pixels. */
import type { Weight } from '../../type/families.ts'

/** Widths of the pictures, and the widest window in which CSS takes the same rules. */
export const VIEWPORTS = {
  desktop: { width: 1280, below: Infinity },
  tablet: { width: 768, below: 1024 },
  mobile: { width: 390, below: 640 },
} as const

export type Viewport = keyof typeof VIEWPORTS

export const COLOURS = [
  'ground',
  'ink',
  'muted',
  'surface',
  'tint',
  'strong',
  'onStrong',
  'soft',
  'onSoft',
  'link',
  'rule',
  'edge',
] as const

export type Colour = (typeof COLOURS)[number]

/** CSS's flex box as far as it is needed; a part is a column where nothing else is said. */
export interface Style {
  readonly hidden?: boolean
  readonly row?: boolean
  readonly wrap?: boolean
  /** Equal columns: CSS's grid. */
  readonly columns?: number
  readonly gap?: number
  /** Top and bottom, right and left. */
  readonly padding?: readonly [number, number]
  /** More room at the right, inside. */
  readonly after?: number
  readonly width?: number | '100%'
  readonly maxWidth?: number
  readonly height?: number
  readonly minHeight?: number
  /** Its share of the room that is left: nothing of its own is wider. */
  readonly grow?: number
  /** Never narrower than it is. */
  readonly firm?: boolean
  readonly align?: 'flex-start' | 'center' | 'flex-end' | 'stretch'
  readonly justify?: 'flex-start' | 'center' | 'flex-end' | 'space-between'
  readonly fill?: Colour
  /** Around it, a pixel wide. */
  readonly line?: Colour
  /** Along its top, a pixel high. */
  readonly above?: Colour
  readonly radius?: number
  readonly face?: 'heading' | 'body'
  readonly size?: number
  readonly weight?: Weight
  readonly leading?: number
  readonly tracking?: number
  readonly colour?: Colour
  readonly text?: 'start' | 'center' | 'end'
  /** As a field has it: what does not fit ends in an ellipsis. */
  readonly oneLine?: boolean
}

/** With what is other in narrower windows. */
export interface Ruled extends Style {
  readonly tablet?: Style
  readonly mobile?: Style
}
