import { body, heading } from './sheet-text.ts'
import type { Ruled, Style } from './style.ts'

const band: Ruled = {
  padding: [60, 64],
  gap: 36,
  align: 'center',
  tablet: { padding: [48, 40], gap: 32 },
  mobile: { padding: [36, 20], gap: 26 },
}
export const wide: Style = { width: '100%', maxWidth: 1120 }

/** The page and its bands, with what leads from page to page. */
export const FRAME = {
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
} as const satisfies Record<string, Ruled>

/** What ends a page. */
export const FOOT = {
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
