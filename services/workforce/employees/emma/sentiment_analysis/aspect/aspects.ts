/** How is spoken of each aspect: those given, or the nouns that come up. */
import { type Span, sentencesOf } from '../../../src/text/sentences.ts'
import { roundHalfEven } from '../../../src/text/vader/python.ts'
import { labelOf } from '../label.ts'
import type { Aspect } from '../result.ts'
import { score } from '../words/score.ts'
import { aspectNouns } from './nouns.ts'
import { placesOf, type Token, tokensOf } from './tokens.ts'

const QUOTES = 3

interface Mention {
  readonly source: string
  readonly quote: string
  readonly compound: number
  /** Whether a word of it weighs anything. */
  readonly isWeighed: boolean
}

/**
 * A sentence is cut so that each piece names aspects, and the score of the piece counts for them. The words of the aspect
 * itself weigh nothing: “support” is a good word, and may be spoken of badly.
 */
export function aspectsOf(
  texts: readonly { readonly source: string; readonly text: string }[],
  given: readonly string[],
): Aspect[] {
  const sentences = texts.flatMap(({ source, text }) =>
    sentencesOf(text).map(({ start, end }) => {
      const sentence = text.slice(start, end)
      return { source, sentence, tokens: tokensOf(sentence) }
    }),
  )
  const names = given.length > 0 ? given : aspectNouns(sentences.map(({ tokens }) => tokens))
  const wanted = names.map(name =>
    tokensOf(name).flatMap(({ singular }) => (/[\p{L}\p{N}]/u.test(singular) ? singular : [])),
  )
  const mentions = names.map((): Mention[] => [])
  for (const { source, sentence, tokens } of sentences) {
    const places = wanted.map(words => (words.length > 0 ? placesOf(words, tokens) : []))
    const clauses = clausesOf(sentence, tokens, new Set(places.flat()))
    places.forEach((found, aspect) => {
      const own = found.flatMap(at => tokens.slice(at, at + (wanted[aspect]?.length ?? 0)))
      for (const { clause, words } of within(clauses, own)) {
        const quote = sentence.slice(clause.start, clause.end).trim()
        const { compound, words: weighty } = score(without(sentence, words, clause))
        mentions[aspect]?.push({ source, quote, compound, isWeighed: weighty.length > 0 })
      }
    })
  }
  return names.map((aspect, at) => ({ aspect, given: given.length > 0, ...summed(mentions[at] ?? []) }))
}

/** The clauses that have one of the words or more, with them. Both in their order. */
function within(clauses: readonly Span[], words: readonly Token[]) {
  const filled: { clause: Span; words: Token[] }[] = []
  let at = 0
  for (const word of words) {
    while (word.start >= (clauses[at]?.end ?? Number.POSITIVE_INFINITY)) at++
    const clause = clauses[at]
    if (clause === undefined) break
    const last = filled.at(-1)
    if (last?.clause === clause) last.words.push(word)
    else filled.push({ clause, words: [word] })
  }
  return filled
}

/** A clause with a word that weighs nothing in the place of some of its words. */
function without(sentence: string, words: readonly Token[], { start, end }: Span): string {
  const parts: string[] = []
  let from = start
  for (const word of words) {
    if (word.start < from) continue
    parts.push(sentence.slice(from, word.start), 'it')
    from = word.end
  }
  return parts.join('') + sentence.slice(from, end)
}

function summed(mentions: readonly Mention[]): Omit<Aspect, 'aspect' | 'given'> {
  const count = (label: string) => mentions.filter(({ compound }) => labelOf(compound) === label).length
  const sum = mentions.reduce((total, { compound }) => total + compound, 0)
  const compound = mentions.length > 0 ? roundHalfEven(sum / mentions.length, 4) : null
  return {
    mentions: mentions.length,
    weighed: mentions.filter(({ isWeighed }) => isWeighed).length,
    positive: count('positive'),
    neutral: count('neutral'),
    negative: count('negative'),
    compound,
    label: compound === null ? null : labelOf(compound),
    quotes: mentions
      .toSorted((a, b) => Math.abs(b.compound) - Math.abs(a.compound))
      .slice(0, QUOTES)
      .map(({ source, quote, compound }) => ({ source, quote, compound })),
  }
}

/**
 * Cut at commas, semicolons, dashes, “and” and words of contrast, and joined again so that each piece names one of the aspects:
 * what names none belongs to the piece before it, or to the first. `named` says at which tokens one begins.
 */
function clausesOf(sentence: string, tokens: readonly Token[], named: ReadonlySet<number>): Span[] {
  const pieces: { start: number; isNaming: boolean }[] = [{ start: 0, isNaming: false }]
  tokens.forEach(({ word, start }, at) => {
    if (cuts.has(word)) pieces.push({ start, isNaming: false })
    if (named.has(at)) (pieces.at(-1) as { isNaming: boolean }).isNaming = true
  })
  const naming = pieces.filter(({ isNaming }) => isNaming)
  return naming.map(({ start }, at) => ({
    start: at === 0 ? 0 : start,
    end: naming[at + 1]?.start ?? sentence.length,
  }))
}

const cuts = new Set(', ; : – — - ( and but however although though while whereas yet except'.split(' '))
