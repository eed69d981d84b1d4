/** What a brief wishes of a text, measured on it: how long it is, what stands in it and what does not. */
import type { Check } from '../answer.ts'
import type { Constraints } from '../brief.ts'
import { folded } from './plain-text.ts'
import { visibleText } from './visible-text.ts'

/** `counted` is what has its words counted; `whole` is where texts are looked for, in any case of letters and any spelling of quotes and accents. */
export function wishes(constraints: Constraints, counted: string, whole = counted): Check[] {
  const { min_words, max_words, must_include = [], avoid = [] } = constraints
  const words = countWords(counted)
  const read = flat(whole)
  const raw = whole.toLowerCase()
  const has = (text: string) => {
    const looked = flat(text)
    return looked === '' ? raw.includes(text.toLowerCase()) : read.includes(looked)
  }
  const included = must_include.filter(has).length
  const found = avoid.filter(has).length
  return [
    ...(min_words === undefined
      ? []
      : [{ id: 'min_words', pass: words >= min_words, value: words, target: min_words }]),
    ...(max_words === undefined
      ? []
      : [{ id: 'max_words', pass: words <= max_words, value: words, target: max_words }]),
    ...(must_include.length === 0
      ? []
      : [{ id: 'must_include', pass: included === must_include.length, value: included, target: must_include.length }]),
    ...(avoid.length === 0 ? [] : [{ id: 'avoid', pass: found === 0, value: found, target: 0 }]),
  ]
}

/** A text as it is compared: in one line and in small letters, without what nobody sees. */
const flat = (text: string): string => folded(visibleText(text)).toLowerCase().replaceAll(/\s+/g, ' ')

/** Words as people count them: “don’t” and “e-mail” are one. */
export const countWords = (text: string): number => text.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu)?.length ?? 0
