/**
 * Whether a text has the tone asked for, by measures that anybody can take again. Words in the tone choose them; a tone that
 * none of them speaks for is not measured, and neither is what needs English words in another language.
 */
import type { Check } from '../answer.ts'
import { wordsOf } from './english.ts'
import { sentencesOf } from './sentences.ts'
import { polarity } from './vader/polarity.ts'

interface Measure {
  readonly id: string
  /** The words of a tone that ask for it. */
  readonly asked: RegExp
  readonly ofEnglish: boolean
  readonly value: (text: Text) => number
  readonly least?: number
  readonly most?: number
  /** What is counted, in words. */
  readonly unit: string
}

interface Text {
  readonly whole: string
  readonly words: readonly string[]
  readonly sentences: readonly string[]
}

export function tone(asked: string, whole: string, language: string): Check[] {
  const text: Text = {
    whole,
    words: wordsOf(whole),
    sentences: sentencesOf(whole).map(({ start, end }) => whole.slice(start, end)),
  }
  if (text.words.length === 0) return []
  return measures
    .filter(measure => measure.asked.test(asked) && (language === 'en' || !measure.ofEnglish))
    .map(({ id, value: measured, least, most, unit }) => {
      const value = Number(measured(text).toFixed(2))
      const pass = value >= (least ?? Number.NEGATIVE_INFINITY) && value <= (most ?? Number.POSITIVE_INFINITY)
      return { id, pass, value, target: `${least === undefined ? `at most ${most}` : `at least ${least}`} ${unit}` }
    })
}

const perHundred = (count: number, { words }: Text) => (100 * count) / words.length
const countOf = (words: ReadonlySet<string>, text: Text) => text.words.filter(word => words.has(word)).length
const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '))

/** “It’s”, “don’t”: not the genitive, which every tone has. */
const contractions =
  /(?<!\p{L})(?:\p{L}+n[’']t|(?:I|you|we|they|he|she|it|that|there|here|what|who|let)[’'](?:m|re|ve|ll|d|s))(?!\p{L})/giu
const slang = setOf(
  'awesome bro btw cool crazy dude gonna gotta guys hey hi kinda lol nope omg stuff super sorta wanna wow yeah yep yo',
)
const address = setOf('i you we us our ours your yours me my')
const courtesy = setOf(
  'apologies apologise apologize appreciate care dear delighted enjoy forgive glad grateful happy help here hope inconvenience kind kindly love lovely pleasure please sorry support sympathise sympathize thank thanks together understand understandable welcome',
)
const pictures = /\p{Extended_Pictographic}/gu

const informal = (text: Text) =>
  (text.whole.match(contractions)?.length ?? 0) +
  (text.whole.match(/!/g)?.length ?? 0) +
  (text.whole.match(pictures)?.length ?? 0) +
  countOf(slang, text)

const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length)

const measures: readonly Measure[] = [
  {
    id: 'tone_formal',
    asked: /\b(?:formal|formally|professional|business|business-like|official|serious|academic|legal)\b/i,
    ofEnglish: true,
    value: text => perHundred(informal(text), text),
    most: 1,
    unit: 'contractions, exclamation marks, emojis and words of slang in 100 words',
  },
  {
    id: 'tone_casual',
    asked: /\b(?:casual|informal|conversational|relaxed|playful|chatty|personal)\b/i,
    ofEnglish: true,
    value: text => perHundred(informal(text) + countOf(address, text), text),
    least: 3,
    unit: 'contractions, exclamation marks, emojis, words of slang and of address (you, we, I) in 100 words',
  },
  {
    id: 'tone_warm',
    asked: /\b(?:friendly|warm|welcoming|empathetic|empathic|caring|kind|apologetic|sympathetic|polite|courteous)\b/i,
    ofEnglish: true,
    value: text => perHundred(countOf(courtesy, text), text),
    least: 1,
    unit: 'words of courtesy and sympathy in 100 words',
  },
  {
    id: 'tone_positive',
    asked: /\b(?:positive|enthusiastic|upbeat|optimistic|excited|cheerful|inspiring|inspirational)\b/i,
    ofEnglish: true,
    value: ({ sentences }) => mean(sentences.map(sentence => polarity(sentence).compound)),
    least: 0.2,
    unit: 'as the mean of VADER’s compound score over the sentences, which goes from -1 to 1',
  },
  {
    id: 'tone_neutral',
    asked: /\b(?:neutral|factual|objective|matter-of-fact|balanced|sober)\b/i,
    ofEnglish: true,
    value: ({ sentences }) => mean(sentences.map(sentence => Math.abs(polarity(sentence).compound))),
    most: 0.35,
    unit: 'as the mean size of VADER’s compound score over the sentences, which goes from 0 to 1',
  },
  {
    id: 'tone_plain',
    asked: /\b(?:plain|simple|clear|concise|brief|crisp|easy|straightforward)\b/i,
    ofEnglish: false,
    value: ({ words, sentences }) => words.length / Math.max(1, sentences.length),
    most: 18,
    unit: 'words in a sentence on average',
  },
]
