/** An answer out of the sentences of a passage. */
import type { Citation } from '../../src/answer.ts'
import type { Constraints } from '../../src/brief.ts'
import { wordsOf } from '../../src/text/english.ts'
import { pointsElsewhere } from './points-elsewhere.ts'
import type { Ranked, Sentence } from './search/rank.ts'

const MOST_SENTENCES = 4
/** With those that are needed to understand them. */
const MOST_TOLD = 10
/** A sentence that has so much less of the question than the best one says something else. */
const LEAST_SHARE = 0.25

/**
 * The sentences of the passage that answer, in their order, each a citation. What they need is with them: the sentence that they
 * point back to, the one that begins a list or introduces code, and of a question the beginning of its answer. Undefined where
 * that is not in the passage, or more than may be told.
 */
export function composed(ranked: Ranked, constraints: Constraints): Composed | undefined {
  for (let most = MOST_SENTENCES; most > 0; most--) {
    const answer = composedOf(most, ranked, constraints)
    if (answer) return answer
  }
  return undefined
}

export interface Composed {
  readonly text: string
  readonly citations: Citation[]
}

function composedOf(
  most: number,
  { passage, sentences }: Ranked,
  { max_words = Number.POSITIVE_INFINITY, avoid = [] }: Constraints,
): Composed | undefined {
  const unwanted = avoid.map(word => word.toLowerCase())
  const all = sentences()
  const isAllowed = ({ text }: Sentence) => !unwanted.some(word => text.toLowerCase().includes(word))
  const allowed = all.map((sentence, at) => ({ ...sentence, at })).filter(isAllowed)
  const saying = allowed.filter(({ text }) => !pointsElsewhere(text))
  const chosen = best(saying.length > 0 ? saying : allowed, most, max_words)
  // “No. It is …”: of a question the answer begins with its first sentence.
  if (passage.heading.endsWith('?') && passage.part === 0) chosen.add(0)
  const whole = withNeeded(chosen, all, passage.part > 0)
  if (whole === undefined || whole.size === 0) return undefined
  const told = all.filter((sentence, at) => whole.has(at) && isAllowed(sentence))
  const words = told.reduce((sum, { text }) => sum + wordsOf(text).length, 0)
  if (told.length < whole.size || (told.length > 1 && words > max_words)) return undefined
  return { text: joined(told), citations: told.map(({ text }) => ({ source: passage.source, quote: text })) }
}

function best(allowed: readonly (Sentence & { readonly at: number })[], most: number, mostWords: number): Set<number> {
  const ordered = allowed.toSorted((a, b) => b.score - a.score)
  const least = (ordered[0]?.score ?? 0) * LEAST_SHARE
  const chosen = new Set<number>()
  let words = 0
  for (const { at, text, score } of ordered) {
    if (chosen.size === most || (chosen.size > 0 && score < least)) break
    const length = wordsOf(text).length
    if (chosen.size > 0 && words + length > mostWords) continue
    chosen.add(at)
    words += length
  }
  return chosen
}

/** With all that the chosen ones need; undefined where it stands outside of the passage, or is too much. */
function withNeeded(
  chosen: ReadonlySet<number>,
  all: readonly Sentence[],
  hasBefore: boolean,
): ReadonlySet<number> | undefined {
  const whole = new Set(chosen)
  // What is added is looked at too: a set tells of it as it grows.
  for (const at of whole) {
    if (whole.size > MOST_TOLD) return undefined
    const { kind, text, isFirst } = all[at] as Sentence
    const isInside = kind === 'item' ? !isFirst || isInList(all, at) : kind === 'code' || pointsBack.test(text)
    if (isInside && at > 0) whole.add(at - 1)
    else if (isInside && hasBefore) return undefined
    // One sentence left out between two would be missed.
    if (whole.has(at + 2)) whole.add(at + 1)
    if (text.endsWith(':') && kind !== 'code') {
      const end = listEnd(all, at + 1)
      if (end === at + 1 || end > at + MOST_TOLD) return undefined
      for (let place = at + 1; place < end; place++) whole.add(place)
    }
  }
  return whole
}

/** An item whose list is announced: “You need:”. */
function isInList(all: readonly Sentence[], at: number): boolean {
  let before = at - 1
  while (before >= 0 && all[before]?.kind === 'item') before--
  return all[before]?.kind === 'text' && (all[before]?.text.endsWith(':') ?? false)
}

/** Behind the items, or the code, that follow an announcement; a sentence alone may be what it announces. */
function listEnd(all: readonly Sentence[], from: number): number {
  const kind = all[from]?.kind
  let end = from
  while (kind !== undefined && kind !== 'text' && all[end]?.kind === kind) end++
  return kind === 'text' ? from + 1 : end
}

/** Items and code each on lines of their own. */
const joined = (told: readonly Sentence[]): string =>
  told.reduce((text, { kind, text: next }, at) => {
    const isOwn = kind !== 'text' || told[at - 1]?.kind !== 'text'
    return at === 0 ? next : `${text}${isOwn ? '\n' : ' '}${next}`
  }, '')

/** “It”, “also” and “the above” need the sentence before them. */
const pointsBack =
  /^(?:it|its|this|that|these|those|they|them|he|she|then|after that|otherwise|but|also|both|however|therefore|thus|so|instead|in (?:that|this|such) case|for (?:this|that) reason|without (?:it|that|this))\b|\b(?:also|as well|the (?:above|latter|former)|(?:described|mentioned|listed|shown|as) above|(?:none|one|any|all) of (?:the above|these|those)|the (?:first|second|other) (?:one|case|way|option)|do (?:so|it|that|this)|an? exceptions? (?:to|from) (?:it|this|that|these|those))\b/i
