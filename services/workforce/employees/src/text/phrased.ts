/** What a text in other words says that the text it was made from does not: measured by what can be looked up. */
import { filler } from './filler.ts'
import { superlativesIn } from './superlatives.ts'

/** A text that a language model wrote, and what it wrote it from. */
export interface Phrased {
  readonly text: string
  /** What it may claim. */
  readonly from: string
  /** What it may speak of besides, without claiming anything of it. */
  readonly about?: string
}

/** What is wrong with it, a few words each, of the text's own; empty where nothing is found. */
export function beyond({ text, from, about = '' }: Phrased): string[] {
  const known = `${from}\n${about}`
  return [
    ...strange('the figure', figuresIn(text), new Set(figuresIn(known))),
    ...strange('the word', claimsIn(text), new Set(claimsIn(from))),
    ...strange('the name', namesIn(text), new Set(lettersIn(known).map(lower))),
    ...strange('the address', text.match(addresses) ?? [], new Set(known.match(addresses))),
    ...filler(text).flatMap(({ id, pass }) => (pass ? [] : `it has ${id.replaceAll('_', ' ')}`)),
  ]
}

/** Whether most of what it says is said with words of what it was made from: the beginnings of its longer words. */
export function isClose({ text, from, about = '' }: Phrased): boolean {
  const known = new Set(stemsOf(`${from}\n${about}`))
  const own = [...new Set(stemsOf(text))]
  return own.filter(stem => known.has(stem)).length >= own.length / 2
}

const strange = (what: string, found: readonly string[], known: ReadonlySet<string>): string[] =>
  [...new Set(found.map(lower))]
    .filter(one => !known.has(one))
    .slice(0, 5)
    .map(one => `${what} “${one.slice(0, 60).toWellFormed()}”`)

const lower = (text: string) => text.toLowerCase()

/** All digits, without the signs between thousands, and the English words for small and for large numbers. */
const figuresIn = (text: string): string[] => [
  ...(text.match(/\d+(?:[.,\u00a0\u202f]\d+)*/g) ?? []).map(found =>
    found.replaceAll(/[,\u00a0\u202f](?=\d{3}(?!\d))/g, ''),
  ),
  ...(text.match(numberWords) ?? []).map(word => numberOf(lower(word))),
]

const numberOf = (word: string) => (small.includes(word) ? String(small.indexOf(word) + 2) : word)

const small = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']
const numberWords = new RegExp(
  String.raw`\b(?:${small.join('|')}|(?:thir|four|fif|six|seven|eigh|nine)t(?:een|y)|twenty|forty|dozens?|hundreds?|thousands?|millions?|billions?|half|twice|doubled?|tripled?)\b`,
  'gi',
)

/** What people buy for, and what must be true. */
const claimsIn = (text: string): string[] => [
  ...superlativesIn(text).map(lower),
  ...(text.match(promises) ?? []).map(lower),
]

const promises =
  /(?<![\p{L}\p{N}])(?:free|discount\p{L}{0,2}|refund\p{L}{0,3}|guarantees?|warranty|certified|award\p{L}{0,3}|award-winning|proven|tested|approved|organic|sustainable|exclusive|limited|always|never|everyone|everybody|kostenlos|gratis|garantie|gratuit\p{L}{0,2})(?![\p{L}\p{N}])/giu

/** Words with a capital within a sentence. Where every noun has one, as in German, that tells nothing. */
const namesIn = (text: string): string[] =>
  (text.match(germanWords)?.length ?? 0) > 1
    ? []
    : [...text.matchAll(/\p{Lu}[\p{L}\p{M}\p{N}’'-]*/gu)]
        .filter(
          ({ index }) =>
            index > 0 && !/(?:^|[.!?…:。"“„(\n–-])\s{0,3}$/.test(text.slice(Math.max(0, index - 4), index)),
        )
        .filter(
          ({ 0: name, index }) => name !== 'I' && !/[\p{L}\p{N}’'-]$/u.test(text.slice(Math.max(0, index - 1), index)),
        )
        .map(([name]) => name.replace(/[’']s?$/, ''))

const germanWords = /(?<!\p{L})(?:der|die|das|und|ist|nicht|wir|mit|ein|eine|für)(?!\p{L})/gu

const lettersIn = (text: string): string[] =>
  (text.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}’'-]*/gu) ?? []).flatMap(word => [word, word.replace(/[’']s?$/, '')])

const addresses = /\b(?:https?:\/\/|www\.)[^\s<>"')\]]{1,2000}|[@#][\p{L}\p{N}_]{1,100}/giu

/** Words of five letters and more by their first five: endings change, and what is shorter is mostly grammar. */
const stemsOf = (text: string): string[] =>
  (lower(text).match(/\p{L}[\p{L}\p{M}]{4,}/gu) ?? []).map(word =>
    Array.from(word.normalize('NFC')).slice(0, 5).join(''),
  )
