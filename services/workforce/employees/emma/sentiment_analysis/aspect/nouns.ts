/** The nouns that a set of sentences is about, found without a grammar. */
import { boosters, lexicon, negations } from '../../../src/text/vader/lexicon.ts'
import { adjectives, announcing, bounds, verbs } from './grammar.ts'
import type { Token } from './tokens.ts'

/** At most so many, the most mentioned first. */
const MOST = 10
/** Few sentences name a thing once; in more, what comes up once is not what they are about. */
const FEW = 5
/** A word of which a smaller share of mentions looks like a noun is mostly something else. */
const LEAST_SHARE = 0.1
/** A word that mostly stands in a longer aspect is not one of its own. */
const MOSTLY = 0.6

interface Noun {
  readonly words: readonly string[]
  /** As it is written, and how often. */
  readonly forms: Map<string, number>
  /** How often it looks like a noun. */
  evidence: number
  /** In how many sentences it stands, however it looks. */
  mentions: number
}

/**
 * A word, or two together, looks like a noun between a word that announces one (the, my, of, with) and one that can't be part of
 * it (is, and, a comma, an opinion), with only adjectives and words of opinion or degree before it; and at the beginning of a
 * sentence right before a verb. It is an aspect when it is mentioned in two sentences, or in one of fewer than five. The words
 * that decide are in `grammar.ts`.
 */
export function aspectNouns(sentences: readonly (readonly Token[])[]): string[] {
  const nouns = new Map<string, Noun>()
  for (const tokens of sentences)
    for (const run of runsOf(tokens)) {
      const words = run.map(({ singular }) => singular)
      const noun = nouns.get(words.join(' ')) ?? { words, forms: new Map(), evidence: 0, mentions: 0 }
      const form = run.map(({ word }) => word).join(' ')
      noun.forms.set(form, (noun.forms.get(form) ?? 0) + 1)
      noun.evidence++
      nouns.set(words.join(' '), noun)
    }
  for (const tokens of sentences) for (const noun of named(tokens, nouns)) noun.mentions++

  const least = sentences.length < FEW ? 1 : 2
  const candidates = [...nouns.values()]
    .filter(({ evidence, mentions }) => mentions >= least && evidence >= LEAST_SHARE * mentions)
    .sort((a, b) => b.mentions - a.mentions || b.words.length - a.words.length)
  const inPhrases = new Map<string, number>()
  for (const { words, mentions } of candidates)
    if (words.length === 2) for (const word of words) inPhrases.set(word, Math.max(inPhrases.get(word) ?? 0, mentions))
  const isPart = ({ words: [word = ''], mentions }: Noun) => (inPhrases.get(word) ?? 0) >= MOSTLY * mentions
  return candidates
    .filter(noun => noun.words.length === 2 || !isPart(noun))
    .slice(0, MOST)
    .map(({ forms }) => commonest(forms))
}

/** The nouns that stand in a sentence, each once. */
function named(tokens: readonly Token[], nouns: ReadonlyMap<string, Noun>): Set<Noun> {
  const found = new Set<Noun>()
  tokens.forEach(({ singular }, at) => {
    for (const key of [singular, `${singular} ${tokens[at + 1]?.singular}`]) {
      const noun = nouns.get(key)
      if (noun) found.add(noun)
    }
  })
  return found
}

/** The one or two words wherever a noun can stand. */
function runsOf(tokens: readonly Token[]): Token[][] {
  const runs: Token[][] = []
  const first = runFrom(tokens, 0)
  if (first.length > 0 && verbs.has(tokens[first.length]?.word ?? '')) runs.push(first)
  tokens.forEach(({ word }, at) => {
    if (!announcing.has(word)) return
    let start = at + 1
    while (start < tokens.length && isModifier((tokens[start] as Token).word)) start++
    runs.push(runFrom(tokens, start))
  })
  return runs.filter(({ length }) => length === 1 || length === 2)
}

function runFrom(tokens: readonly Token[], start: number): Token[] {
  let end = start
  while (end < tokens.length && end - start <= 2 && isContent(tokens[end] as Token)) end++
  return tokens.slice(start, end)
}

const isOpinion = (word: string) => lexicon.has(word) || boosters.has(word) || negations.has(word)

const isModifier = (word: string) =>
  !announcing.has(word) && (adjectives.has(word) || isOpinion(word) || /^\p{N}+$/u.test(word))

const isContent = ({ word, singular }: Token) =>
  /^\p{L}{3,}$/u.test(word) &&
  !word.endsWith('ly') &&
  [word, singular].every(form => !bounds.has(form) && !verbs.has(form) && !adjectives.has(form) && !isOpinion(form))

const commonest = (forms: ReadonlyMap<string, number>) =>
  [...forms].reduce((most, form) => (form[1] > most[1] ? form : most))[0]
