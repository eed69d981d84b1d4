/** Answers a ticket with sentences of the knowledge given, or escalates it. */
import type { Answer, Citation } from '../../../src/answer.ts'
import { type Brief, Refusal } from '../../../src/brief.ts'
import { languageOf } from '../../../src/text/language.ts'
import { textOfFile } from '../../../src/text/text-files.ts'
import { visibleText } from '../../../src/text/visible-text.ts'
import { composed } from './compose.ts'
import { createMask, type Mask } from './personal/mask.ts'
import type { Input, Reason, Result } from './result.ts'
import { type Passage, passagesOf, type Source } from './search/passages.ts'
import { answerTo, fitOf } from './search/question.ts'
import { type Ranked, ranker } from './search/rank.ts'
import { termsOf } from './search/terms.ts'
import { categoryOf } from './triage/category.ts'
import { priorityOf } from './triage/priority.ts'

/**
 * From this on a ticket is answered: the least at which of the questions without an answer in `bar/questions.tsv` 95 of 100 are
 * escalated in the halves together and in the later ones, `fresh` left out. `bar/bar.ts` measures it.
 */
const SURE = 1.6
const MOST_CHARACTERS = 2_000_000
const LISTED = 3

export function rules(brief: Brief<Input>): Answer<Result> {
  const mask = createMask(brief.input.public_contacts)
  // All that is read from here on is masked already, so that nothing personal can go out.
  const ticket = clean(mask, [brief.input.subject ?? '', brief.input.ticket].filter(text => text !== '').join('\n'))
  const passages = knowledgeOf(brief).flatMap(({ name, text }) =>
    passagesOf({ name: clean(mask, name), text: clean(mask, text) }),
  )
  const language = languageOf(ticket)
  const ranked = passages.length > 0 ? answerTo(ticket.replaceAll(maskedData, ' '), ranker(passages)) : []
  const reason = reasonToEscalate(brief, ticket, language, passages, ranked[0])
  const { text, citations } = reason ? { text: null, citations: [] } : composed(ranked[0] as Ranked, brief.constraints)
  const result: Result = {
    status: reason ? 'escalated' : 'answered',
    answer: text,
    reason,
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
    personal_data: mask.found(),
  }
  return { result, text: readingOf(result, citations), citations, warnings: warningsOf(brief, language, result) }
}

const maskedData = /\[[a-z ]{2,20} \d+\]/g

const clean = (mask: Mask, text: string) => mask.mask(visibleText(text))

function knowledgeOf({ input, files }: Brief<Input>): Source[] {
  const sources = [
    ...(input.knowledge ?? []).map(({ title, source, text }) => ({
      name: source ?? title,
      text: withTitle(title, text),
    })),
    ...files.map((file, at) => ({ name: file.name, text: textOfFile(file, `files[${at}]`) })),
  ]
  const characters = sources.reduce((sum, { text }) => sum + text.length, 0)
  if (characters > MOST_CHARACTERS)
    throw new Refusal(
      'input.knowledge',
      `The knowledge has ${characters} characters; at most ${MOST_CHARACTERS} can be searched for a ticket. Give the articles that may matter.`,
    )
  return sources
}

/** A title is the outermost heading, unless the text begins with it. */
const withTitle = (title: string, text: string) => (/^\s*# /.test(text) ? text : `# ${title}\n${text}`)

function reasonToEscalate(
  { language: wanted }: Brief<Input>,
  ticket: string,
  language: string,
  passages: readonly Passage[],
  best: Ranked | undefined,
): Reason | null {
  if (termsOf(ticket).length === 0)
    return { code: 'no_question', message: 'The ticket says nothing that could be answered.' }
  if (passages.length === 0)
    return {
      code: 'no_knowledge',
      message: 'No knowledge was given to answer from: give articles, or files that are text.',
    }
  if (personWanted.test(ticket)) return { code: 'person_wanted', message: 'The customer asks for a person.' }
  const known = languageOf(passages.map(({ text }) => text).join('\n'))
  const asked = wanted?.toLowerCase().split('-')[0] ?? language
  if (known !== 'und' && asked !== 'und' && known !== asked)
    return {
      code: 'language',
      message: `The knowledge is in ${known}, and the answer should be in ${asked}. Nothing is translated here.`,
    }
  if (fitOf(best) >= SURE) return null
  return { code: 'not_covered', message: 'No passage of the knowledge answers this.' }
}

const personWanted =
  /\b(?:speak|talk|connect me|put me through) (?:to|with) (?:a|an|your|some|the)? ?(?:real |actual |live )?(?:human|person|agent|someone|somebody|manager|supervisor|representative)\b|\b(?:real|actual|live) (?:human|person|agent)\b/i

export function readingOf(
  { status, answer, reason, passages, priority, category }: Result,
  citations: readonly Citation[],
): string {
  const about = `Priority ${priority.level}, category ${category.name}.`
  if (status === 'escalated') {
    const near = passages.map(({ heading }) => `“${heading}”`)
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
