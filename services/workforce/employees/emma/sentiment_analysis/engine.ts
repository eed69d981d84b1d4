/** Sentiment of texts: per text, per sentence, per aspect. */
import type { Answer } from '../../src/answer.ts'
import { type Brief, Refusal } from '../../src/brief.ts'
import type { Asked } from '../../src/kind.ts'
import { isEnglishWord, wordsOf } from '../../src/text/english.ts'
import { languageOf } from '../../src/text/language.ts'
import { plainText } from '../../src/text/plain-text.ts'
import { sentencesOf } from '../../src/text/sentences.ts'
import { textOfFile } from '../../src/text/text-files.ts'
import { lexicon } from '../../src/text/vader/lexicon.ts'
import { type Polarity, polarity } from '../../src/text/vader/polarity.ts'
import { roundHalfEven } from '../../src/text/vader/python.ts'
import { isSeen, visibleText } from '../../src/text/visible-text.ts'
import { aspectsOf } from './aspect/aspects.ts'
import { type Labeller, labellerOf } from './meaning/labeller.ts'
import { readingOf } from './reading.ts'
import type { Input, Result, ScoredSentence, ScoredText, Scores, Shares } from './result.ts'
import { type Score, score } from './words/score.ts'

const MOST_CHARACTERS = 2_000_000
/** More are scored, and counted in their text's score, and not listed. */
const MOST_SENTENCES = 1_000
/** Of a sentence. */
const MOST_WORDS = 100

interface Text {
  readonly source: string
  readonly text: string
  /** With its tags and in its own spelling: what a reference is given. */
  readonly unread: string
  readonly language: string
  readonly isScored: boolean
}

export async function rules(brief: Brief<Input>, { embed }: Asked = {}): Promise<Answer<Result>> {
  const texts = textsOf(brief)
  const warnings = unscored(texts)
  let room = MOST_SENTENCES
  const cut = texts.map(({ source, text, unread, language, isScored }) => {
    const spans = isScored ? sentencesOf(text) : []
    const listed = spans.slice(0, room)
    room -= listed.length
    if (listed.length < spans.length)
      warnings.push(`Of the ${spans.length} sentences of ${source} ${listed.length} are listed; its score counts all.`)
    const sentences = listed.map(({ start, end }) => text.slice(start, end))
    return { source, language, isScored, text, unread, sentences }
  })
  const readable = cut.filter(({ isScored }) => isScored)
  const labeller = await labellerOf(
    readable.flatMap(({ text, sentences }) => [text, ...sentences]),
    embed,
  )
  warnings.push(...labeller.warnings)
  const scored = cut.map(({ source, language, isScored, text, unread, sentences }): ScoredText => {
    if (!isScored) return { source, language, scores: null, vader: null, sentences: [] }
    return {
      source,
      language,
      scores: scoresOf(labeller, text, score(text)),
      vader: sharesOf(polarity(unread)),
      sentences: sentences.map(sentence => scoredSentence(labeller, sentence)),
    }
  })
  const result = {
    summary: summed(scored),
    method: labeller.method,
    texts: scored,
    aspects: aspectsOf(
      texts.filter(({ isScored }) => isScored),
      brief.input.aspects?.map(aspect => plainText(aspect).trim()) ?? [],
    ),
  }
  for (const { aspect, mentions, weighed } of result.aspects)
    if (mentions === 0) warnings.push(`The texts do not speak of ${aspect}.`)
    else if (weighed === 0)
      warnings.push(
        `Where the texts speak of ${aspect}, no word has a feeling in the lexicon: its neutral is no finding.`,
      )
  return { result, ...readingOf(result), warnings }
}

function textsOf({ input, files }: Brief<Input>): Text[] {
  const texts = [
    ...(input.texts ?? []).map((text, at) => ({ source: `texts[${at}]`, text })),
    ...files.map((file, at) => ({ source: file.name, text: textOfFile(file, `files[${at}]`) })),
  ]
  if (texts.length === 0) throw new Refusal('input.texts', 'There is no text: give texts, or files that are text.')
  const characters = texts.reduce((sum, { text }) => sum + text.length, 0)
  if (characters > MOST_CHARACTERS)
    throw new Refusal(
      'input.texts',
      `The texts have ${characters} characters; at most ${MOST_CHARACTERS} can be scored at once.`,
    )
  const given = input.text_language?.toLowerCase().split('-')[0]
  return texts.map(({ source, text }) => {
    const read = plainText(text)
    const language = given ?? languageOf(read)
    return {
      source,
      text: read,
      unread: visibleText(text),
      language,
      isScored: isSeen(read) && (language === 'en' || (given === undefined && language === 'und' && isReadable(read))),
    }
  })
}

/** Whether a text that is in no language, being short or without words, can be scored all the same: emojis can. */
function isReadable(text: string): boolean {
  const words = wordsOf(text)
  return words.filter(word => isEnglishWord(word) || lexicon.has(word)).length >= words.length / 2
}

function unscored(texts: readonly Text[]): string[] {
  const byLanguage = Map.groupBy(
    texts.filter(({ isScored }) => !isScored),
    ({ text, language }) => (isSeen(text) ? language : undefined),
  )
  return [...byLanguage].map(([language, of]) => {
    const sources = shortened(of.map(({ source }) => source))
    if (language === undefined) return `Not scored, as there is nothing to read: ${sources}.`
    return language === 'und'
      ? `Not scored, as the language can't be told: ${sources}. Where it is English, give text_language en.`
      : `Not scored, as the lexicon is of English and not of ${language}: ${sources}.`
  })
}

const shortened = (sources: readonly string[]) =>
  sources.length <= 5 ? sources.join(', ') : `${sources.slice(0, 5).join(', ')} and ${sources.length - 5} more`

function scoredSentence(labeller: Labeller, text: string): ScoredSentence {
  const found = score(text)
  const words = found.words.slice(0, MOST_WORDS).map(word => ({ ...word, valence: roundHalfEven(word.valence, 4) }))
  return { text, scores: scoresOf(labeller, text, found), vader: sharesOf(polarity(text)), words }
}

const sharesOf = ({ compound, positive, neutral, negative }: Polarity): Shares => ({
  compound,
  positive,
  neutral,
  negative,
})

const scoresOf = (labeller: Labeller, text: string, found: Score): Scores => ({
  ...sharesOf(found),
  ...labeller.label(text, found),
})

function summed(texts: readonly ScoredText[]): Result['summary'] {
  const scores = texts.flatMap(({ scores }) => scores ?? [])
  const count = (label: string) => scores.filter(score => score.label === label).length
  const sum = scores.reduce((total, { compound }) => total + compound, 0)
  return {
    texts: texts.length,
    scored: scores.length,
    positive: count('positive'),
    neutral: count('neutral'),
    negative: count('negative'),
    compound: scores.length > 0 ? roundHalfEven(sum / scores.length, 4) : null,
  }
}
