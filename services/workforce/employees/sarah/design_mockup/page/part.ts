/** A page as a tree of parts: what stands in it, with no place yet. */
import type { Svg } from '../../picture/svg.ts'
import type { Theme } from '../../scene/theme.ts'
import type { Box } from '../../type/set.ts'
import type { StyleName } from './sheet.ts'

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/** Fills a box with shapes, or with texts that have their boxes. */
export type Draw = (box: Box, theme: Theme) => readonly Svg[]

export interface Part {
  /** In HTML. */
  readonly tag: string
  readonly style: StyleName
  readonly attributes: Attributes
  /** Of a part that is a text. */
  readonly text?: string
  /** Of a field: its text is an attribute in HTML, not what stands in it. */
  readonly holdsText?: boolean
  /** Of a part that is drawn. */
  readonly drawing?: Draw
  /** A control, which browsers draw by themselves. */
  readonly native?: boolean
  readonly children: readonly Part[]
}

type Some = readonly (Part | undefined)[]

export const box = (tag: string, style: StyleName, children: Some, attributes: Attributes = {}): Part => ({
  tag,
  style,
  attributes,
  children: children.filter(child => child !== undefined),
})

export const said = (tag: string, style: StyleName, text: string, attributes: Attributes = {}): Part => ({
  tag,
  style,
  attributes,
  text,
  children: [],
})

/** Nothing where there is no text. */
export const saidIf = (tag: string, style: StyleName, text: string | undefined, attributes: Attributes = {}) =>
  text === undefined ? undefined : said(tag, style, text, attributes)

/** A drawing without words, or with those that `alternative` gives. */
export const drawn = (style: StyleName, drawing: Draw, alternative?: string): Part => ({
  tag: 'svg',
  style,
  attributes: alternative === undefined ? { 'aria-hidden': 'true' } : { role: 'img', 'aria-label': alternative },
  drawing,
  children: [],
})

/** A field with a text in it; what else is drawn of it browsers have in its CSS. */
export const field = (
  tag: string,
  style: StyleName,
  text: string,
  attributes: Attributes,
  more: { readonly children?: Some; readonly drawing?: Draw } = {},
): Part => ({
  ...box(tag, style, more.children ?? [], attributes),
  text,
  holdsText: true,
  ...(more.drawing && { drawing: more.drawing, native: true }),
})

/** A control that browsers draw: the drawing is for pictures. */
export const control = (style: StyleName, drawing: Draw, attributes: Attributes): Part => ({
  tag: 'input',
  style,
  attributes,
  drawing,
  native: true,
  children: [],
})
