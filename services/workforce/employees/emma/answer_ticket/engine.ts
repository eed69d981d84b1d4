/** Answers a ticket with sentences of the knowledge given, or escalates it. */
import type { Answer, Citation } from '../../src/answer.ts'
import type { Brief } from '../../src/brief.ts'
import type { Asked, Embed } from '../../src/kind.ts'
import { wordsOf } from '../../src/text/english.ts'
import { languageOf } from '../../src/text/language.ts'
import { sentencesOf } from '../../src/text/sentences.ts'
import { createMask } from '../personal/mask.ts'
import { type Composed, composed } from './compose.ts'
import { maskedOf } from './masked.ts'
import { pointsElsewhere } from './points-elsewhere.ts'
import type { Input, Reason, Result } from './result.ts'
import { type AnotherName, anotherNameIn } from './search/another-name.ts'
import { byMeaning } from './search/meaning.ts'
import { type Passage, passagesOf, unitsOf } from './search/passages.ts'
import { answerTo, fitOf, SURE } from './search/question.ts'
import { type Ranked, ranker } from './search/rank.ts'
import { termsOf } from './search/terms.ts'
import { categoryOf } from './triage/category.ts'
import { priorityOf } from './triage/priority.ts'

/**
 * From this on a ticket is answered. In less knowledge there is less that could fit by chance, so less is enough: chosen so that of
 * what is answered over three articles, over ten and over whole handbooks at least nine of ten are right, of the committed
 * questions that chose no weight. `bar/bar.test.ts` measures it and prints it.
 */
const sureOf = (passages: number) => {
  const size = Math.log(passages + 1)
  return Math.min(SURE, Math.max(0.6 + 0.28 * size, 0.2 + 0.57 * size))
}
/**
 * The same for a passage of one short sentence that has most of what is asked: each of its terms counts once, so that it can't come
 * to as much; one that has less leaves a condition out. Chosen where handbooks are cut into single sentences: README.md, "Words".
 */
const SURE_OF_SHORT = 1
const SHORT_WORDS = 12
const MOST_OF_WHAT_IS_ASKED = 2 / 3
/** Of a paragraph without a heading as much more; chosen as `sureOf`. */
const UNTITLED = 1.1
/** As `SURE` and `sureOf` where the platform measures meaning with all-MiniLM-L6-v2, chosen in the same way. */
const SURE_OF_MEANING = 1.4
const sureOfMeaning = (passages: number) => {
  const size = Math.log(passages + 1)
  return Math.min(SURE_OF_MEANING, Math.max(0.55 + 0.19 * size, 0.2 + 0.3 * size))
}
/** By so much the words of the best passage have to be ahead of those of the next one with another heading; chosen as `sureOf`. */
const aheadOf = (passages: number) => (passages > 12 ? 1.3 : 1.1)
const LISTED = 3

export async function rules(brief: Brief<Input>, { embed }: Asked = {}): Promise<Answer<Result>> {
  const { ticket, sources, found: personal } = maskedOf(brief)
  const passages = sources.flatMap(passagesOf)
  const language = languageOf(ticket)
  const found = await search(ticket.replaceAll(maskedData, ' '), passages, isRead(language) ? embed : undefined)
  const { ranked } = found
  const without = reasonToEscalate(brief, ticket, language, passages, found)
  const made = without ? undefined : composed(ranked[0] as Ranked, brief.constraints)
  const reason = without ?? reasonAgainst(brief, made)
  const { text, citations } = !made || reason ? { text: null, citations: [] } : made
  const result: Result = {
    status: reason ? 'escalated' : 'answered',
    answer: text,
    reason,
    found_by: found.by,
    passages: ranked.slice(0, LISTED).map(({ passage, score, coverage }) => ({
      source: passage.source,
      heading: passage.heading,
      score: Number(score.toFixed(4)),
      coverage: Number(Math.min(1, coverage).toFixed(4)),
    })),
    priority: priorityOf(ticket),
    category: categoryOf(ticket, brief.input.categories),
    language,
    ticket,
    personal_data: personal,
  }
  const told = readingOf(result, citations)
  const out = JSON.stringify([ticket, told, result.passages])
  return {
    result: { ...result, personal_data: personal.filter(({ placeholder }) => out.includes(placeholder)) },
    text: told,
    citations,
    warnings: warningsOf(brief, language, result),
  }
}

function reasonAgainst(brief: Brief<Input>, made: Composed | undefined): Reason | null {
  if (!made) return wholeReason
  if (isPersonal(brief, made)) return personalReason
  return made.citations.every(({ quote }) => pointsElsewhere(quote)) ? elsewhereReason : null
}

/** A sentence by itself can say what it does not in the midst of its text: “Thanks, Boris.” */
function isPersonal({ input }: Brief<Input>, { text, citations }: Composed): boolean {
  const mask = createMask(input.public_contacts)
  for (const told of [text, ...citations.map(({ quote }) => quote)]) mask.mask(told)
  return mask.found().length > 0
}

const personalReason: Reason = { code: 'personal_data', message: 'What answers this tells something personal.' }

const wholeReason: Reason = {
  code: 'not_covered',
  message: 'No part of the passage that comes nearest can be understood without the rest: read it as a whole.',
}

const elsewhereReason: Reason = {
  code: 'not_covered',
  message: 'What comes nearest only points to where this is answered.',
}

/** The embedding model is taken to be one for English. */
const isRead = (language: string) => language === 'en' || language === 'und'

interface Found {
  readonly by: Result['found_by']
  /** Best first. */
  readonly ranked: readonly Ranked[]
  readonly isSure: boolean
  /** The second where it answers nearly as well as the first. */
  readonly rival?: Ranked | undefined
  /** What the first is about instead of what the ticket names. */
  readonly another?: AnotherName | undefined
}

async function search(ticket: string, passages: readonly Passage[], embed: Embed | undefined): Promise<Found> {
  if (passages.length === 0) return { by: 'words', ranked: [], isSure: false }
  const rank = ranker(passages)
  const anotherNameOf = anotherNameIn(ticket, passages)
  const isOfAnother = ({ passage }: Ranked) => anotherNameOf(passage) !== undefined
  const found = (by: Found['by'], ranked: readonly Ranked[], isSure: boolean, rival?: Ranked): Found => {
    const another = ranked[0] && anotherNameOf(ranked[0].passage)
    return { by, ranked, isSure, rival, another }
  }
  if (embed) {
    const all = await byMeaning(ticket, passages, question => rank(question, passages.length), embed)
    const near = mostFittingFirst(all, isOfAnother)
    const [first, second] = near.filter(one => !isOfAnother(one))
    const isSure = (first?.fit ?? 0) >= Math.max(sureOfMeaning(passages.length), second?.fit ?? 0)
    return found('words_and_meaning', fromBeginning(near, 1), isSure)
  }
  const ahead = aheadOf(passages.length)
  const ranked = mostFittingFirst(answerTo(ticket, rank), isOfAnother)
  const isSure = fitOf(ranked[0]) >= leastFitOf(ranked[0], passages.length, ticket)
  const rivals = ranked.filter(one => !isOfAnother(one))
  return found('words', fromBeginning(ranked, ahead), isSure, rivalIn(rivals, ahead))
}

/** The parts of one section don't contradict each other; those of a text without headings may be about anything. */
function rivalIn([first, ...others]: readonly Ranked[], ahead: number): Ranked | undefined {
  const second = others.find(({ passage }) => first && !isOfOneSection(first.passage, passage))
  return first && second && first.score < ahead * second.score ? second : undefined
}

const isOfOneSection = (one: Passage, other: Passage) =>
  one.source === other.source &&
  one.heading === other.heading &&
  one.sections.join('\n') === other.sections.join('\n') &&
  !one.isUntitled

/** A section is read from its beginning: a later part stands first only where it is far ahead, and never under a question. */
function fromBeginning(ranked: readonly Ranked[], ahead: number): readonly Ranked[] {
  const [first] = ranked
  if (!first || first.passage.part === 0 || first.passage.isUntitled) return ranked
  const isEarlier = ({ passage, score }: Ranked) =>
    passage.part < first.passage.part &&
    isOfOneSection(passage, first.passage) &&
    (passage.heading.endsWith('?') || first.score < ahead * score)
  const earlier = ranked.filter(isEarlier).toSorted((a, b) => a.passage.part - b.passage.part)[0]
  return earlier ? [earlier, ...ranked.filter(each => each !== earlier)] : ranked
}

/** A passage that only points elsewhere comes behind those that say something, and one about something else behind both. */
function mostFittingFirst<Of extends Ranked>(
  ranked: readonly Of[],
  isOfAnother: (one: Ranked) => boolean,
): readonly Of[] {
  const isPointer = ({ passage }: Ranked) => unitsOf(passage).every(({ text }) => pointsElsewhere(text))
  const places = new Map(ranked.map(one => [one, isOfAnother(one) ? 2 : Number(isPointer(one))]))
  return ranked.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0))
}

function leastFitOf(ranked: Ranked | undefined, passages: number, ticket: string): number {
  if (!ranked || !isShortSentence(ranked.passage.text))
    return sureOf(passages) * (ranked?.passage.isUntitled ? UNTITLED : 1)
  const hasMost = ranked.coverage >= MOST_OF_WHAT_IS_ASKED && !isOfAnotherQuestion(ticket, ranked.passage)
  return hasMost ? SURE_OF_SHORT : SURE
}

/** “Only companies can.” under “Can I pay by invoice?” says nothing of paying in instalments. */
function isOfAnotherQuestion(ticket: string, { heading, text }: Passage): boolean {
  if (!heading.endsWith('?')) return false
  const [asked, answered] = [termsOf(ticket), termsOf(heading)]
  const told = new Set([...answered, ...termsOf(text)])
  return asked.some(term => !told.has(term)) && answered.some(term => !asked.includes(term))
}

const isShortSentence = (text: string) => wordsOf(text).length <= SHORT_WORDS && sentencesOf(text).length === 1

const maskedData = /\[[a-z ]{2,20} \d+\]/g

function reasonToEscalate(
  { language: wanted }: Brief<Input>,
  ticket: string,
  language: string,
  passages: readonly Passage[],
  { ranked, isSure, rival, another }: Found,
): Reason | null {
  if (termsOf(ticket).length === 0)
    return { code: 'no_question', message: 'The ticket says nothing that could be answered.' }
  if (passages.length === 0)
    return {
      code: 'no_knowledge',
      message: 'No knowledge that says something was given: give articles, or files that are text.',
    }
  if (personWanted.test(ticket)) return { code: 'person_wanted', message: 'The customer asks for a person.' }
  const known = languageOf(passages.map(({ text }) => text).join('\n'))
  const asked = wanted?.toLowerCase().split('-')[0] ?? language
  if (known !== 'und' && asked !== 'und' && known !== asked)
    return {
      code: 'language',
      message: `The knowledge is in ${known}, and the answer should be in ${asked}. Nothing is translated here.`,
    }
  if (another)
    return {
      code: 'not_covered',
      message: `The ticket names “${another.asked}”; what comes nearest tells of “${another.told}”.`,
    }
  if (!isSure) return { code: 'not_covered', message: 'No passage of the knowledge answers this for certain.' }
  if (!rival) return null
  const headings = [ranked[0] as Ranked, rival].map(({ passage }) => named(passage))
  return {
    code: 'unclear',
    message: `Two passages come almost equally near: ${headings.join(' and ')}.`,
  }
}

/** By its article too, where its heading is not that of the article. */
const named = ({ source, heading }: Pick<Passage, 'source' | 'heading'>) =>
  source === heading ? `“${heading}”` : `“${heading}” of ${source}`

const personWanted =
  /\b(?:speak|talk|connect me|put me through) (?:to|with) (?:a|an|your|some|the)? ?(?:real |actual |live )?(?:human|person|agent|someone|somebody|manager|supervisor|representative)\b|\b(?:real|actual|live) (?:human|person|agent)\b/i

export function readingOf(
  { status, answer, reason, passages, priority, category }: Result,
  citations: readonly Citation[],
): string {
  const about = `Priority ${priority.level}, category ${category.name}.`
  if (status === 'escalated') {
    const near = [...new Set(passages.map(named))]
    return [
      `Escalated. ${reason?.message}`,
      ...(near.length > 0 ? [`Nearest in the knowledge: ${near.join(', ')}.`] : []),
      about,
    ].join('\n')
  }
  const sources = [...new Set(citations.map(({ source }) => source))]
  return [answer, `Source: ${sources.join(', ')}${passages[0] ? `, “${passages[0].heading}”` : ''}`, about].join('\n\n')
}

function warningsOf(brief: Brief<Input>, language: string, { status, answer }: Result): string[] {
  const warnings: string[] = []
  if (status === 'answered' && language !== 'en')
    warnings.push(
      'When to answer and when to escalate was measured on English tickets; have somebody look at this answer.',
    )
  if (status === 'answered' && answer?.match(maskedData))
    warnings.push(
      'The answer had contact details in it, which are masked. Name those that may go out in public_contacts.',
    )
  if (brief.tone !== '') warnings.push('The tone asked for is not applied: the answer has the words of the knowledge.')
  return warnings
}
