/** How each part of a page looks, once: printed as CSS for browsers, and read by Yoga for pictures. Lengths are in pixels. */
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

interface Ruled extends Style {
  readonly tablet?: Style
  readonly mobile?: Style
}

const body = (size: number, rest: Ruled = {}): Ruled => ({
  face: 'body',
  size,
  weight: 400,
  leading: 1.55,
  colour: 'ink',
  ...rest,
})
const heading = (size: number, rest: Ruled = {}): Ruled => ({
  face: 'heading',
  size,
  weight: 600,
  leading: 1.2,
  tracking: -0.01,
  colour: 'ink',
  ...rest,
})
const card: Style = { fill: 'surface', radius: 16, padding: [28, 28], gap: 12 }
const band: Ruled = {
  padding: [60, 64],
  gap: 36,
  align: 'center',
  tablet: { padding: [48, 40], gap: 32 },
  mobile: { padding: [36, 20], gap: 26 },
}
const wide: Style = { width: '100%', maxWidth: 1120 }

export const SHEET = {
  page: { width: '100%', fill: 'ground' },
  app: { row: true, width: '100%', fill: 'ground', align: 'stretch', tablet: { row: false } },
  main: { width: '100%' },
  'app-main': {
    grow: 1,
    padding: [36, 40],
    gap: 24,
    tablet: { grow: 0, padding: [28, 28] },
    mobile: { padding: [24, 16], gap: 16 },
  },

  bar: {
    width: '100%',
    align: 'center',
    padding: [18, 64],
    tablet: { padding: [16, 40] },
    mobile: { padding: [14, 20] },
  },
  'bar-inner': { ...wide, row: true, align: 'center', justify: 'space-between', gap: 24, mobile: { gap: 12 } },
  'bar-links': { row: true, wrap: true, align: 'center', justify: 'flex-end', gap: 28, mobile: { hidden: true } },
  // A name, however long, leaves room for what leads on.
  'bar-end': {
    row: true,
    align: 'center',
    justify: 'flex-end',
    gap: 28,
    firm: true,
    maxWidth: 860,
    tablet: { maxWidth: 520 },
    mobile: { gap: 16, maxWidth: 240 },
  },
  menu: { hidden: true, width: 24, height: 24, firm: true, mobile: { hidden: false } },
  'menu-sign': { width: 24, height: 24 },
  'menu-icon': { width: 24, height: 24, firm: true },
  'menu-links': { hidden: true, gap: 4 },
  brand: heading(20, { weight: 700 }),
  'bar-link': body(15, { weight: 500 }),
  side: {
    width: 248,
    firm: true,
    fill: 'surface',
    padding: [32, 20],
    gap: 24,
    tablet: { width: '100%', padding: [16, 28], gap: 12 },
    mobile: { padding: [14, 16] },
  },
  'side-links': { gap: 4, tablet: { row: true, wrap: true, gap: 4 } },
  'side-link': body(15, { weight: 500, padding: [8, 12] }),
  'side-here': body(15, { weight: 600, padding: [8, 12], radius: 8, fill: 'soft', colour: 'onSoft' }),

  band,
  'band-head': {
    width: '100%',
    align: 'center',
    padding: [28, 64],
    tablet: { padding: [24, 40] },
    mobile: { padding: [16, 20] },
  },
  'band-tinted': { ...band, fill: 'surface' },
  panel: {
    width: '100%',
    grow: 1,
    line: 'rule',
    radius: 14,
    padding: [24, 24],
    gap: 20,
    mobile: { padding: [18, 16] },
  },
  pair: { width: '100%', columns: 2, gap: 24, mobile: { columns: 1, gap: 16 } },
  bare: { width: '100%', gap: 20 },
  wide: { ...wide, gap: 24 },
  narrow: { width: '100%', maxWidth: 720, gap: 20 },
  slim: { width: '100%', maxWidth: 520, gap: 20 },
  intro: { width: '100%', maxWidth: 720, gap: 12, align: 'center' },
  'intro-start': { width: '100%', gap: 4 },

  h1: heading(40, { leading: 1.12, tracking: -0.02, tablet: { size: 36 }, mobile: { size: 32 } }),
  display: heading(56, { leading: 1.06, tracking: -0.025, tablet: { size: 44 }, mobile: { size: 36 } }),
  'display-middle': heading(56, {
    leading: 1.06,
    tracking: -0.025,
    text: 'center',
    tablet: { size: 44 },
    mobile: { size: 36 },
  }),
  h2: heading(34, { text: 'center', tracking: -0.015, mobile: { size: 27 } }),
  'h2-start': heading(30, { tracking: -0.015, mobile: { size: 25 } }),
  'h2-panel': heading(18),
  'h2-small': heading(24, { leading: 1.25 }),
  h3: heading(19, { leading: 1.3 }),
  label: body(14, { weight: 600, colour: 'link', leading: 1.4 }),
  lead: body(19, { colour: 'muted', leading: 1.5, mobile: { size: 17 } }),
  'lead-middle': body(18, { colour: 'muted', leading: 1.5, text: 'center', mobile: { size: 17 } }),
  text: body(16),
  'text-long': body(18, { leading: 1.65, mobile: { size: 17 } }),
  muted: body(15, { colour: 'muted' }),
  small: body(14, { colour: 'muted', leading: 1.45 }),
  strong: body(16, { weight: 600 }),

  actions: { row: true, wrap: true, gap: 12, align: 'center' },
  'actions-middle': { row: true, wrap: true, gap: 12, align: 'center', justify: 'center' },
  button: body(16, {
    weight: 600,
    leading: 1.25,
    padding: [13, 22],
    radius: 10,
    fill: 'strong',
    colour: 'onStrong',
    text: 'center',
  }),
  'button-small': body(15, {
    firm: true,
    maxWidth: 180,
    weight: 600,
    leading: 1.25,
    padding: [10, 16],
    radius: 9,
    fill: 'strong',
    colour: 'onStrong',
    text: 'center',
  }),
  'button-quiet': body(16, { weight: 600, leading: 1.25, padding: [12, 21], radius: 10, line: 'edge', text: 'center' }),
  'button-turned': body(16, {
    weight: 600,
    leading: 1.25,
    padding: [13, 22],
    radius: 10,
    fill: 'onStrong',
    colour: 'strong',
    text: 'center',
  }),
  link: body(15, { weight: 600, colour: 'link' }),

  hero: {
    width: '100%',
    align: 'center',
    padding: [88, 64],
    tablet: { padding: [64, 40] },
    mobile: { padding: [44, 20] },
  },
  'hero-split': { ...wide, row: true, align: 'center', gap: 56, tablet: { row: false, align: 'stretch', gap: 40 } },
  'hero-said': { grow: 1, gap: 20, align: 'flex-start', tablet: { grow: 0 } },
  'hero-side': { grow: 1, tablet: { grow: 0 } },
  'hero-middle': { width: '100%', maxWidth: 820, gap: 22, align: 'center' },

  place: {
    width: '100%',
    height: 400,
    radius: 16,
    fill: 'soft',
    align: 'center',
    justify: 'center',
    padding: [20, 24],
    gap: 12,
    tablet: { height: 340 },
    mobile: { height: 240 },
  },
  'place-low': {
    width: '100%',
    minHeight: 168,
    radius: 10,
    fill: 'soft',
    align: 'center',
    justify: 'center',
    padding: [16, 18],
    gap: 8,
  },
  'place-icon': { width: 36, height: 36, firm: true },
  'place-said': body(14, { colour: 'onSoft', leading: 1.4, text: 'center' }),
  figure: { width: '100%', gap: 10 },

  three: { columns: 3, gap: 24, width: '100%', tablet: { columns: 2 }, mobile: { columns: 1, gap: 16 } },
  two: { columns: 2, gap: 24, width: '100%', mobile: { columns: 1, gap: 16 } },
  four: { columns: 4, gap: 20, width: '100%', tablet: { columns: 2 }, mobile: { columns: 2, gap: 12 } },
  one: { columns: 1, gap: 24, width: '100%' },
  feature: { gap: 10, padding: [8, 0] },
  icon: { width: 44, height: 44, firm: true },
  card: { ...card, grow: 1 },
  'card-body': { gap: 6, width: '100%' },

  plan: { grow: 1, line: 'rule', radius: 16, padding: [28, 28], gap: 18, fill: 'ground' },
  'plan-first': { grow: 1, line: 'strong', radius: 16, padding: [28, 28], gap: 18, fill: 'surface' },
  'plan-price': { row: true, wrap: true, gap: 6, align: 'flex-end' },
  price: heading(38, { leading: 1.05, tracking: -0.02 }),
  'plan-list': { gap: 10, grow: 1, width: '100%' },
  'plan-point': { row: true, gap: 10, align: 'flex-start', width: '100%' },
  tick: { width: 18, height: 24, firm: true },
  'point-said': body(15, { grow: 1 }),

  stat: { grow: 1, line: 'rule', radius: 14, padding: [20, 20], gap: 4, mobile: { padding: [14, 14] } },
  figures: heading(30, { leading: 1.15, mobile: { size: 24 } }),

  aside: { width: '100%', fill: 'surface', radius: 14, padding: [24, 28] },
  quote: { ...card, grow: 1, gap: 18, padding: [32, 32], mobile: { padding: [24, 20] } },
  'quote-said': heading(22, { weight: 500, leading: 1.4, tracking: 0, mobile: { size: 19 } }),
  'quote-by': { gap: 2, width: '100%' },

  questions: { width: '100%', gap: 12 },
  question: { fill: 'surface', radius: 12, padding: [20, 24], gap: 8, width: '100%', mobile: { padding: [16, 18] } },
  asked: body(17, { weight: 600, leading: 1.4 }),

  form: { width: '100%', gap: 18 },
  field: { width: '100%', gap: 6 },
  'field-name': body(15, { weight: 600, leading: 1.4 }),
  entry: body(16, {
    width: '100%',
    height: 46,
    padding: [10, 14],
    radius: 8,
    line: 'edge',
    fill: 'ground',
    leading: 1.5,
    oneLine: true,
  }),
  'entry-choice': body(16, {
    after: 22,
    width: '100%',
    height: 46,
    padding: [10, 14],
    radius: 8,
    line: 'edge',
    fill: 'ground',
    leading: 1.5,
    oneLine: true,
  }),
  'entry-empty': body(16, {
    width: '100%',
    height: 46,
    padding: [10, 14],
    radius: 8,
    line: 'edge',
    fill: 'ground',
    leading: 1.5,
    colour: 'muted',
    oneLine: true,
  }),
  'entry-tall': body(16, {
    width: '100%',
    height: 112,
    padding: [10, 14],
    radius: 8,
    line: 'edge',
    fill: 'ground',
    leading: 1.5,
  }),
  'entry-tall-empty': body(16, {
    width: '100%',
    height: 112,
    padding: [10, 14],
    radius: 8,
    line: 'edge',
    fill: 'ground',
    leading: 1.5,
    colour: 'muted',
  }),
  choice: { row: true, width: '100%', gap: 12, align: 'flex-start' },
  box: { width: 22, height: 22, firm: true },
  switch: { width: 40, height: 24, firm: true },
  'choice-said': { grow: 1, gap: 2 },
  choices: { width: '100%', gap: 10 },
  'choice-name': body(16, { leading: 1.5 }),
  option: body(16, { hidden: true }),

  table: { width: '100%', line: 'rule', radius: 12 },
  'table-part': { width: '100%' },
  'table-head': {
    row: true,
    width: '100%',
    fill: 'surface',
    radius: 12,
    gap: 16,
    padding: [12, 18],
    mobile: { hidden: true },
  },
  'table-row': {
    row: true,
    above: 'rule',
    width: '100%',
    gap: 16,
    padding: [12, 18],
    align: 'flex-start',
    mobile: { row: false, gap: 6, padding: [14, 16] },
  },
  'column-name': body(14, { grow: 1, weight: 600, leading: 1.45, colour: 'muted', text: 'start' }),
  'column-number': body(14, { grow: 1, weight: 600, leading: 1.45, colour: 'muted', text: 'end' }),
  cell: { grow: 1, mobile: { grow: 0, width: '100%', row: true, gap: 12 } },
  'cell-name': body(14, { hidden: true, grow: 1, colour: 'muted', leading: 1.5, mobile: { hidden: false } }),
  'cell-said': body(15, { width: '100%', leading: 1.45, mobile: { grow: 1, text: 'end' } }),
  'cell-number': body(15, { width: '100%', leading: 1.45, text: 'end', mobile: { grow: 1 } }),

  plot: { width: '100%', height: 340, tablet: { height: 320 }, mobile: { height: 280 } },

  list: { width: '100%' },
  item: {
    row: true,
    width: '100%',
    gap: 20,
    padding: [16, 0],
    align: 'flex-start',
    justify: 'space-between',
    mobile: { gap: 12 },
  },
  'item-below': {
    row: true,
    width: '100%',
    gap: 20,
    padding: [16, 0],
    align: 'flex-start',
    justify: 'space-between',
    above: 'rule',
    mobile: { gap: 12 },
  },
  'item-said': { grow: 1, gap: 2 },
  meta: body(14, { colour: 'muted', leading: 1.7, maxWidth: 220, text: 'end', mobile: { maxWidth: 130 } }),

  call: {
    ...wide,
    fill: 'strong',
    radius: 24,
    padding: [56, 56],
    gap: 24,
    align: 'center',
    mobile: { padding: [36, 24] },
  },
  'call-title': heading(36, { colour: 'onStrong', text: 'center', mobile: { size: 28 } }),
  'call-said': body(18, { colour: 'onStrong', text: 'center', leading: 1.5 }),

  foot: {
    width: '100%',
    fill: 'surface',
    padding: [48, 64],
    gap: 32,
    align: 'center',
    tablet: { padding: [40, 40] },
    mobile: { padding: [36, 20] },
  },
  'foot-app': { width: '100%', gap: 20 },
  'foot-columns': {
    ...wide,
    row: true,
    gap: 40,
    align: 'flex-start',
    justify: 'space-between',
    mobile: { row: false, gap: 28 },
  },
  'foot-column': { grow: 1, gap: 8, mobile: { grow: 0 } },
  'foot-name': body(14, { weight: 600, leading: 1.45 }),
  'foot-note': body(14, { colour: 'muted', leading: 1.45, width: '100%', maxWidth: 1120 }),
} as const satisfies Record<string, Ruled>

export type StyleName = keyof typeof SHEET

/** What holds of a part in a viewport: the rules of each narrower one come on top. */
export function styleIn(name: StyleName, viewport: Viewport): Style {
  const { tablet, mobile, ...rest }: Ruled = SHEET[name]
  const narrower = viewport === 'desktop' ? {} : viewport === 'tablet' ? { ...tablet } : { ...tablet, ...mobile }
  return { ...rest, ...narrower }
}

/** What CSS says of it in windows of that width and below alone. */
export const changesIn = (name: StyleName, viewport: 'tablet' | 'mobile'): Style | undefined =>
  (SHEET[name] as Ruled)[viewport]
