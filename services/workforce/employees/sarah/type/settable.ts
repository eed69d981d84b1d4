/** Foreign text as it can be drawn here. */
import { Refusal } from '../../src/brief.ts'
import { type Style, shape } from './shape.ts'
import { visible } from './visible.ts'

export interface Settable {
  readonly text: string
  /** Signs that are no letters and that no typeface here has: they are left out. */
  readonly missing: readonly string[]
  /** Nothing of it is drawn. */
  readonly blank: boolean
  /** It is longer than may be, and ends in an ellipsis. */
  readonly cut: boolean
}

/** Refuses letters that no typeface here has: a word without some of its letters is another word. */
export function settable(given: string, param: string, style: Style, most: number): Settable {
  const whole = visible(given, most + 1)
  const cut = whole.length > most
  const text = cut ? `${visible(given, most - 1)}…` : whole
  const { missing, words } = shape(text, style)
  const letters = missing.filter(sign => /^[\p{L}\p{N}]\P{M}*$/u.test(sign))
  if (letters.length > 0)
    throw new Refusal(
      param,
      `No typeface here has ${letters.slice(0, 10).join(' ')}. Latin, Greek, Cyrillic, Arabic, Hebrew, Devanagari, Thai, Chinese, Japanese and Korean can be set.`,
    )
  return { text, missing, blank: words.every(({ runs }) => runs.every(({ glyphs }) => glyphs.length === 0)), cut }
}
