/**
 * What a text claims that the material it was made from does not hold. Rules of words and figures, no second model: they find
 * what can be looked up, so a text without findings is not thereby true. The rules of words know English alone.
 */
import { isEnglishWord } from '../text/english.ts'
import { languageOf } from '../text/language.ts'
import { sentencesOf } from '../text/sentences.ts'
import { actsIn, passivesIn, promisesIn } from './acts.ts'
import { addressesIn } from './addresses.ts'
import { daysIn, urgencyIn, withoutDates } from './calendar.ts'
import { isDerived } from './derived.ts'
import { itemsNew } from './enumerations.ts'
import { graveClaims } from './grave-lists.ts'
import { isKnownQuantity } from './known-quantities.ts'
import { optionsIn, withoutMarkup } from './markup.ts'
import { type Material, materialOf } from './material.ts'
import { namesIn, quotesIn } from './mentions.ts'
import { novelIn } from './novel.ts'
import { type Quantity, quantitiesIn } from './quantities.ts'
import { isCurrency } from './units.ts'
import { claimWords, superlativesNew } from './word-claims.ts'
import { type ClaimGroup, tableClaims, type WordClaims, wordClaims } from './word-lists.ts'
import { wordsIn } from './words.ts'

export interface Claimed {
  readonly text: string
  /** What it may claim: each entry a paragraph, an article or a fact. */
  readonly from: readonly string[]
  /** What it may speak of besides, without claiming anything of it, such as what a customer wrote. */
  readonly about?: readonly string[]
  /** Whether it speaks of a table: then it tells no causes, no future and no advice. */
  readonly isOfTable?: boolean
}

export interface Unfounded {
  readonly group: ClaimGroup
  /** In words, with the words of the text. */
  readonly fault: string
}

/** What may cost somebody money, their rights or their health when it is untrue. A text that has it is not delivered. */
export const isGrave = ({ group }: Unfounded): boolean => grave.has(group)

const grave: ReadonlySet<ClaimGroup> = new Set(['money', 'law', 'health', 'act'])

/** Empty where nothing is found. Of a text in another language than English, only what needs no words is looked at. */
export function unfounded({ text: written, from, about = [], isOfTable = false }: Claimed): Unfounded[] {
  const text = withoutMarkup(written)
  const given = materialOf(from, about, isOfTable)
  const items = itemsOf(text)
  const material = items < 2 ? given : { ...given, counts: new Set([...given.counts, items]) }
  const language = languageOf(text)
  const rules: Rules = {
    claims: !knowsWords(language)
      ? []
      : isOfTable
        ? [...allClaims.filter(one => !one.isOfPrices), ...tableClaims]
        : allClaims,
    hasWords: knowsWords(language),
    isOfTable,
    hasNames: knowsWords(language) || (language !== 'de' && languageOf(from.join('\n')) === language),
  }
  const options = optionsIn(written).filter(option => !material.whole.includes(option.toLowerCase()))
  let before: readonly Quantity[] = []
  let last: readonly Quantity[] = []
  const inSentences = sentencesOf(text).flatMap(({ start, end }) => {
    const sentence = text.slice(start, end)
    const quantities = quantitiesIn(
      rules.hasWords ? withoutDates(sentence.replaceAll(supposed, ' '), material.calendar) : sentence,
    ).map(one => (rules.hasWords ? one : { ...one, counts: false }))
    const known = quantities.filter(one => isKnownQuantity(one, material))
    const isKnown = new Set(known)
    const near = [...before, ...known]
    const beside = [...last, ...quantities].slice(-MOST_BESIDE)
    last = [...last.slice(-8), ...quantities]
    const { spans, seasons } = material.calendar
    const isSpan = ({ dimension, value }: Quantity) =>
      (dimension === 'time' && spans.has(value / 1_440)) || (dimension === 'month' && seasons.has(value))
    before = known
    const strange = quantities.filter(
      one => !isKnown.has(one) && !isSpan(one) && !isDerived(one, near, beside, material.quantities, material.figures),
    )
    return inSentence(sentence, strange, material, rules)
  })
  return [
    ...inSentences,
    ...[...new Set(options)].map(option => ({ group: 'claim' as const, fault: `the option “${option}”` })),
  ]
}

/** “Five worries, five answers” of a numbered list of five. */
const itemsOf = (text: string): number =>
  Math.max(0, ...[...text.matchAll(/^\s{0,4}(\d{1,2})[.)](?=\s)/gm)].slice(0, 100).map(([, number]) => Number(number)))

/** Of a long row of figures, each pair would take long. */
const MOST_BESIDE = 24

/** What the reader is asked to picture: “If you've ever scrolled through four thousand files”. */
const supposed =
  /(?<!\p{L})(?:if you(?:['’]ve| have)? ever|imagine|picture|suppose|say you|for an? [\p{L}\d]+-(?:met(?:re|er)|lit(?:re|er)|hour|day|week|person|page|room|foot))(?!\p{L})[^.,;:!?]{0,120}/giu

const allClaims: readonly WordClaims[] = [...wordClaims, ...graveClaims]

/** Whether there are rules of words for a language: a text that is too short to tell is read as English. */
export const knowsWords = (language: string): boolean => language === 'en' || language === 'und'

interface Rules {
  readonly claims: readonly WordClaims[]
  readonly hasWords: boolean
  readonly hasNames: boolean
  readonly isOfTable: boolean
}

function inSentence(
  sentence: string,
  strange: readonly Quantity[],
  material: Material,
  { claims, hasWords, hasNames, isOfTable }: Rules,
): Unfounded[] {
  const found: Unfounded[] = []
  const isScene = endsAsQuestion.test(sentence) && !/(?<!\p{L})(?:you|your|we|our|us)(?!\p{L})/iu.test(sentence)
  const isExample = isScene || illustrates.test(sentence)
  const add = (group: ClaimGroup, what: string, words: readonly string[]) => {
    for (const word of new Set(words.map(one => one.toLowerCase())))
      found.push({ group, fault: `${what} “${word.slice(0, 60).toWellFormed()}”` })
  }
  add(
    'figure',
    'the figure',
    // A question supposes what it counts: “Nap time at noon?”
    strange
      .filter(({ dimension }) => !isExample || isCurrency(dimension) || dimension === 'share')
      .map(({ shown }) => shown),
  )
  add('address', 'the address', addressesIn(sentence, material.addresses, material.letters))
  add('claim', 'the word', superlativesNew(sentence, material, isOfTable))
  if (hasNames) add('name', 'the name', namesIn(sentence, material))
  if (!hasWords) return found
  add('claim', 'not checked, as it is in another language:', foreignIn(sentence, material))
  add('quote', 'the quotation', quotesIn(sentence, material))
  const isCall = endsAsQuestion.test(sentence)
  const days = daysIn(sentence, material.calendar)
  add('date', 'the date', isCall ? days.filter(day => /\d/.test(day)) : days)
  if (question.test(sentence)) return found
  add('date', 'the time', urgencyIn(sentence, material.whole))
  for (const one of claims)
    if (!isCall || grave.has(one.group)) add(one.group, one.what, claimWords(one, sentence, material))
  add('act', 'what was done,', actsIn(sentence, material))
  if (isCall) return found
  add('claim', 'what was done,', passivesIn(sentence, material))
  add('claim', 'the promise', promisesIn(sentence, material))
  add('claim', 'what is told of', novelIn(sentence, material))
  if (!isOfTable) add('claim', 'what it is said to have,', itemsNew(sentence, material))
  return found
}

/** A sentence in another language, most of whose words are new: no rule of words looks at it. */
function foreignIn(sentence: string, material: Material): string[] {
  if (knowsWords(languageOf(sentence))) return []
  const words = wordsIn(sentence)
  const strange = words.filter(word => !material.words.has(word) && !isEnglishWord(word))
  return words.length > 3 && strange.length > 1 && strange.length >= words.length / 2 ? [sentence] : []
}

/** “For six people you might take 200 g”: an example, and no figure of what is written about. */
const illustrates =
  /(?<!\p{L})(?:(?:you|one) might(?! (?:\w+ )?(?:get|receive|pay|lose|gain|save|earn|see|expect|feel|find)(?!\p{L}))|at an? (?:comfortable|gentle|steady|easy|brisk)|for (?:example|instance))(?!\p{L})/iu

/** A question claims nothing, but for one that tells what it asks. */
const question =
  /^(?!.{0,20}\bdid you know\b)(?:[-–—•*] ?)?["'“‘(]{0,2}(?:(?:and|but|so|or) )?(?:what|when|where|which|who|whom|whose|why|how|is|are|was|were|do|does|did|can|could|will|would|shall|should|may|might|have|has|had)\b.*\?["'”’)]{0,2}$/isu

/** “Tired of waiting?” “We refunded you, all right?” */
const endsAsQuestion = /\?["'”’)]{0,2}$/u
