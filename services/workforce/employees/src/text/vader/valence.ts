/** What one word weighs where it stands: the lexicon's valence, with what the three words before it do to it. */
import { boosters, lexicon, negations, specialCases } from './lexicon.ts'
import type { Words } from './words.ts'

export interface WordValence {
  readonly word: string
  /** From about -5 to 5. */
  readonly valence: number
  /** Turned round by a word before it: “not good”. */
  readonly negated: boolean
  /** Made more by a word before it (“very good”) or by capitals, or less (“kind of good”). */
  readonly emphasis: 'stronger' | 'weaker' | 'none'
}

/** Weighs nothing. */
export const neutral: WordValence = { word: '', valence: 0, negated: false, emphasis: 'none' }

/** Mean rises that people gave to words in capitals. */
const CAPITALS = 0.733
/** What a negation leaves of a valence. */
export const NEGATED = -0.74
/** A word further away says less. */
const DISTANCE = [1, 0.95, 0.9] as const

export function valenceOf(text: Words, at: number): WordValence {
  const { words, lower } = text
  const word = words[at] as string
  const own = lower[at] as string
  const base = lexicon.get(own)
  if (base === undefined || boosters.has(own) || (own === 'kind' && lower[at + 1] === 'of')) return neutral

  const before = (distance: number) => (at >= distance ? lower[at - distance] : undefined)
  let valence = base
  let negated = false
  // “no” before a word that weighs is its negation, and weighs nothing itself.
  if (own === 'no' && lexicon.has(lower[at + 1] ?? '')) valence = 0
  if (before(1) === 'no' || before(2) === 'no' || (before(3) === 'no' && (before(1) === 'or' || before(1) === 'nor'))) {
    valence = base * NEGATED
    negated = true
  }
  const plain = valence
  let emphasis = 0
  if (text.upper[at] && text.capitalsTell) {
    emphasis++
    valence += valence > 0 ? CAPITALS : -CAPITALS
  }
  for (let distance = 1; distance <= 3 && distance <= at; distance++) {
    if (lexicon.has(lower[at - distance] as string)) continue
    const added = boost(text, at - distance, valence) * (DISTANCE[distance - 1] as number)
    emphasis += Math.sign(added) * Math.sign(valence)
    valence += added
    const factor = negation(before, distance)
    if (factor < 0) negated = !negated
    valence *= factor
    if (distance === 3) valence = withIdioms(lower, at, valence)
  }
  if (before(1) === 'least' && !(at > 1 && (before(2) === 'at' || before(2) === 'very'))) {
    valence *= NEGATED
    negated = !negated
  }
  return {
    word,
    valence,
    negated: negated && plain !== 0,
    emphasis: emphasis > 0 ? 'stronger' : emphasis < 0 ? 'weaker' : 'none',
  }
}

/** What the word at a place adds to one after it, as a word of degree. */
function boost({ lower, upper, capitalsTell }: Words, at: number, valence: number): number {
  const degree = boosters.get(lower[at] as string)
  if (degree === undefined) return 0
  const added = valence < 0 ? -degree : degree
  if (!(upper[at] && capitalsTell)) return added
  return valence > 0 ? added + CAPITALS : added - CAPITALS
}

/** What a valence is multiplied with for the word so far before it. */
function negation(before: (distance: number) => string | undefined, distance: number): number {
  const far = before(distance)
  const isSoOrThis = (word: string | undefined) => word === 'so' || word === 'this'
  if (distance === 2) {
    if (far === 'never' && isSoOrThis(before(1))) return 1.25
    if (far === 'without' && before(1) === 'doubt') return 1
  }
  if (distance === 3) {
    // The reference's `and` and `or` without brackets: “so” or “this” right before a word is enough.
    if ((far === 'never' && isSoOrThis(before(2))) || isSoOrThis(before(1))) return 1.25
    if (far === 'without' && (before(2) === 'doubt' || before(1) === 'doubt')) return 1
  }
  return far !== undefined && (negations.has(far) || far.includes("n't")) ? NEGATED : 1
}

/** The valence of an idiom that the word is part of, and what “kind of” and the like before it change. */
function withIdioms(lower: readonly string[], at: number, valence: number): number {
  if (!lower.slice(at - 3, at + 3).some(word => idiomWords.has(word))) return valence
  const phrase = (from: number, to: number) => lower.slice(at + from, at + to + 1).join(' ')
  const earlier = [phrase(-1, 0), phrase(-2, 0), phrase(-2, -1), phrase(-3, -1), phrase(-3, -2)]
  const later = [at + 1 < lower.length ? phrase(0, 1) : '', at + 2 < lower.length ? phrase(0, 2) : '']
  const idiom = earlier.find(words => specialCases.has(words))
  let changed = specialCases.get(idiom ?? '') ?? valence
  for (const words of later) changed = specialCases.get(words) ?? changed
  for (const words of [phrase(-3, -1), phrase(-3, -2), phrase(-2, -1)]) changed += boosters.get(words) ?? 0
  return changed
}

const idiomWords = new Set(
  [...specialCases.keys(), ...boosters.keys()].flatMap(words => (words.includes(' ') ? words.split(' ') : [])),
)
