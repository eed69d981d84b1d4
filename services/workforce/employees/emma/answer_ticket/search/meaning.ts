/** Which passages answer a ticket, by what both mean and by their words. */
import type { Embed } from '../../../src/kind.ts'
import { likeness, standardised, sumOf, type Vector } from './likeness.ts'
import type { Passage } from './passages.ts'
import { fitOf, questionsIn } from './question.ts'
import type { Ranked } from './rank.ts'
import { sharesOf } from './shares.ts'
import { type Views, viewsOf } from './views.ts'

export interface Near extends Ranked {
  /** How sure it is that the passage answers what was asked; comparable between tickets. */
  readonly fit: number
}

/** Of a larger knowledge those passages are looked at that have most of the words. */
const MOST_PASSAGES = 500
/** Of a long ticket so many of its questions. */
const MOST_QUESTIONS = 100
/** The passages that are looked at sentence by sentence: the nearest, and those with the best words. */
const NEAREST = 12
const BEST_WORDED = 3
/** How much of what the words say is added to what the meaning does, for the order and for sureness. */
const WORDS = 0.1
const WORDS_FIT = 0.15
const MOST_WORDS_FIT = 4

/** Best first. `rank` gives all passages that have a word of a question. */
export async function byMeaning(
  ticket: string,
  passages: readonly Passage[],
  rank: (question: string) => readonly Ranked[],
  embed: Embed,
): Promise<Near[]> {
  const looked =
    passages.length <= MOST_PASSAGES
      ? passages
      : rank(ticket)
          .slice(0, MOST_PASSAGES)
          .map(({ passage }) => passage)
  const questions = questionsIn(ticket).slice(0, MOST_QUESTIONS)
  const views = new Map(looked.map(passage => [passage, viewsOf(passage)]))
  const vectorOf = await vectorsOf([...questions, ...[...views.values()].map(({ whole }) => whole)], embed)
  const question = questions
    .map(text => ({ text, vector: vectorOf(text) }))
    .map(asked => ({ ...asked, near: nearest(asked.vector, views, vectorOf) }))
    .toSorted((a, b) => (b.near[0]?.likeness ?? 0) - (a.near[0]?.likeness ?? 0))[0]
  if (!question) return []
  const worded = new Map(rank(question.text).map(ranked => [ranked.passage, ranked]))
  const bestWorded = new Set([...worded.keys()].slice(0, BEST_WORDED))
  const candidates = question.near.filter(({ passage }, place) => place < NEAREST || bestWorded.has(passage))
  return await ordered(question.vector, candidates, worded, embed)
}

interface Candidate {
  readonly passage: Passage
  readonly views: Views
  readonly vector: Vector
  readonly likeness: number
}

function nearest(
  question: Vector,
  views: ReadonlyMap<Passage, Views>,
  vectorOf: (text: string) => Vector,
): Candidate[] {
  return [...views]
    .map(([passage, own]) => {
      const vector = vectorOf(own.whole)
      return { passage, views: own, vector, likeness: likeness(question, vector) }
    })
    .toSorted((a, b) => b.likeness - a.likeness)
}

async function ordered(
  question: Vector,
  candidates: readonly Candidate[],
  worded: ReadonlyMap<Passage, Ranked>,
  embed: Embed,
): Promise<Near[]> {
  const vectorOf = await vectorsOf(
    candidates.flatMap(({ views: { heading, sentences } }) => [
      heading,
      ...sentences.flatMap(({ text, withHeading }) => [text, withHeading]),
    ]),
    embed,
  )
  const likenessTo = (text: string) => likeness(question, vectorOf(text))
  const shares = sharesOf(
    question,
    candidates.map(({ vector, views: { heading, sentences } }) => [
      vector,
      vectorOf(heading),
      ...sentences.flatMap(({ text, withHeading }) => [vectorOf(text), vectorOf(withHeading)]),
    ]),
  )
  const likenesses = candidates.map(
    ({ likeness, views: { sentences } }) =>
      likeness + Math.max(0, ...sentences.map(({ withHeading }) => likenessTo(withHeading))),
  )
  const scores = [
    standardised(likenesses),
    standardised(shares),
    standardised(candidates.map(({ passage }) => worded.get(passage)?.score ?? 0)).map(score => WORDS * score),
  ]
  return candidates
    .map(({ passage, views }, at) => ({
      passage,
      score: sumOf(scores.map(kind => kind[at] as number)),
      coverage: worded.get(passage)?.coverage ?? 0,
      fit: (likenesses[at] as number) + WORDS_FIT * Math.min(MOST_WORDS_FIT, fitOf(worded.get(passage))),
      sentences: () =>
        views.sentences.map(({ text, kind, isFirst }) => ({
          text,
          kind,
          isFirst,
          score: Math.max(0, likenessTo(text)) ** 2,
        })),
    }))
    .toSorted((a, b) => b.score - a.score)
}

/** Of one question to the model. */
const MOST_TEXTS = 512

/** Gives the vector of each of the texts, every one asked for once. */
export async function vectorsOf(texts: Iterable<string>, embed: Embed): Promise<(text: string) => Vector> {
  const different = [...new Set(texts)]
  const vectors = new Map<string, Vector>()
  for (let at = 0; at < different.length; at += MOST_TEXTS) {
    const asked = different.slice(at, at + MOST_TEXTS)
    const given = await embed(asked)
    for (const [place, text] of asked.entries()) vectors.set(text, given[place] as Vector)
  }
  return text => vectors.get(text) as Vector
}
