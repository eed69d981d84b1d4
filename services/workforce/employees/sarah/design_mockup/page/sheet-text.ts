import type { Ruled } from './style.ts'

export const body = (size: number, rest: Ruled = {}): Ruled => ({
  face: 'body',
  size,
  weight: 400,
  leading: 1.55,
  colour: 'ink',
  ...rest,
})
export const heading = (size: number, rest: Ruled = {}): Ruled => ({
  face: 'heading',
  size,
  weight: 600,
  leading: 1.2,
  tracking: -0.01,
  colour: 'ink',
  ...rest,
})

/** Headings, text and buttons. */
export const TEXTS = {
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
} as const satisfies Record<string, Ruled>
