/** Lists behind a negation: of “not good, fast or cheap” nothing is said to be there. */
import { lexicon, negations } from '../../../src/text/vader/lexicon.ts'
import type { Tokens } from './tokens.ts'

/** The places of the words behind the first comma. Only “or” and “nor” make it one list: “not cheap, but good” is none. */
export function negatedItems({ words: { lower }, signs }: Pick<Tokens, 'words' | 'signs'>): ReadonlySet<number> {
  const all = new Set<number>()
  for (const [at, word] of lower.entries())
    if (negations.has(word) || word.includes("n't")) for (const place of itemsBehind(at, lower, signs)) all.add(place)
  return all
}

const MOST_ITEMS = 8
/** Of the first item with what is before it, and of one behind a comma. */
const LONGEST_FIRST = 3
const LONGEST = 2

function itemsBehind(at: number, lower: readonly string[], signs: readonly string[]): number[] {
  const comma = signs.slice(at, at + 1 + LONGEST_FIRST).findIndex(sign => sign !== ' ')
  if (comma < 1 || signs[at + comma] !== ',') return []
  const places: number[] = []
  let begin = at + comma + 1
  for (let item = 0; item < MOST_ITEMS; item++) {
    const last = /^n?or$/.test(lower[begin] ?? '')
    if (last) begin++
    const end = endOf(begin, lower, signs)
    if (end === undefined) return []
    for (let place = begin; place <= end; place++) places.push(place)
    if (last) return places.filter(place => isAlike(lower[at + comma], lower[place]))
    begin = end + 1
  }
  return []
}

/** Items of a list are all praise or all blame: “never again, terrible food or service” is none. */
function isAlike(first = '', other = ''): boolean {
  const [sign, its] = [first, other].map(word => Math.sign(lexicon.get(word) ?? 0)) as [number, number]
  return its === sign || (sign === 0 && its > 0)
}

/** The last word of an item: before a sign, or before “or”. Undefined where it is too long to be one. */
function endOf(begin: number, lower: readonly string[], signs: readonly string[]): number | undefined {
  for (let end = begin; end < begin + LONGEST && end < lower.length; end++) {
    const isBeforeOr = /^n?or$/.test(lower[end + 1] ?? '') && signs[end] === ' '
    if (isBeforeOr || signs[end] !== ' ' || end === lower.length - 1) return end
  }
  return undefined
}
