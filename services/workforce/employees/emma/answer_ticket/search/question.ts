/** What in a ticket is asked. */
import { sentencesOf } from '../../../src/text/sentences.ts'
import type { Ranked } from './rank.ts'
import { termsOf } from './terms.ts'

/** A ticket of so many different terms or fewer is one question; in a longer one most words are not part of it. */
const SHORT = 10
const LEAST_TERMS = 2
/** Of a long ticket so many sentences are looked at. */
const MOST_SENTENCES = 200

/**
 * The passages for the ticket, or for the one or two sentences of it that are best answered. A question that is surely
 * answered by itself goes before all else.
 */
export function answerTo(ticket: string, rank: (question: string) => Ranked[]): Ranked[] {
  let best: Ranked[] = []
  let asked: Ranked[] = []
  for (const question of questionsIn(ticket)) {
    const ranked = rank(question)
    if (fitOf(ranked[0]) > fitOf(best[0])) best = ranked
    if (isWholly(question, ranked[0]) && fitOf(ranked[0]) > fitOf(asked[0])) asked = ranked
  }
  return fitOf(asked[0]) >= SURE ? asked : best
}

/** Whether nearly all of a question is in a passage: what a customer tells before it only says how they came to ask. */
const isWholly = (question: string, first: Ranked | undefined): boolean =>
  /\?\s*$/.test(question) &&
  (first?.coverage ?? 0) >= WHOLLY &&
  (sentencesOf(question).length > 1 || standsAlone(question))

/** “Can you fix this problem?” asks for what was told before it, and “How soon do you reply?” comes with any matter. */
const standsAlone = (question: string): boolean => !pointsBack.test(question) && !aboutTheReply.test(question)

const pointsBack =
  /\b(?:it(?! (?:takes?|costs?|possible|allowed|safe)\b)|this(?! (?:morning|evening|week|month|year)\b)|these|those|them|that(?=[?,.]| (?:is|was|be)\b)|(?:the|my|that) (?:problem|issue|error|matter|case|situation))\b/i
const aboutTheReply =
  /\b(?:repl(?:y|ies)|respond|responses?|hear (?:back|from)|get back|call (?:me|you)|(?:contact|reach|phone|ring|email|e-mail|write) (?:me|you|us|support|somebody|someone)|(?:speak|talk) (?:to|with)|look into|assist)\b/i

const WHOLLY = 0.9
/** From this on what is asked is answered, whatever the knowledge: see `sureOf` in `engine.ts`. */
export const SURE = 2.5

/** What may be asked: the whole of a short ticket; of a longer one each sentence, and each with the one before it. */
export function questionsIn(ticket: string): string[] {
  if (new Set(termsOf(ticket)).size <= SHORT) return [ticket]
  const sentences = sentencesOf(ticket)
    .slice(0, MOST_SENTENCES)
    .map(({ start, end }) => ticket.slice(start, end))
    .filter(sentence => termsOf(sentence).length >= LEAST_TERMS)
  return sentences.flatMap((sentence, at) => (at === 0 ? sentence : [sentence, `${sentences[at - 1]} ${sentence}`]))
}

/**
 * How sure it is that a passage answers what was asked: both much of it has to be there, and things that few passages have.
 */
export const fitOf = (ranked: Ranked | undefined): number => (ranked ? ranked.score * ranked.coverage : 0)
