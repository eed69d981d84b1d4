/** Hashtags: those given, else the topic and what the text calls by name or speaks of more than once. */
import { isEnglishWord, rarity, stemOf } from '../src/text/english.ts'
import type { Segment } from './segments.ts'

const LONGEST = 30

/**
 * Of a tag as given, what platforms take: letters, digits and underscores, a letter first, each of several words with a capital.
 * Undefined where nothing is left, or something else: of “C++” and “C#” it would be #C.
 */
export function tagOf(text: string): string | undefined {
  if (/[\p{L}\p{N}][+#]/u.test(text)) return undefined
  const words = text.trim().split(/\s+/)
  const tag = lettersOf(words.length > 1 ? words.map(capital).join('') : text)
  return /^\p{L}/u.test(tag) && tag.length <= LONGEST ? tag : undefined
}

/** Words of the sources as tags, the best first, each the letters of the word or phrase that it stands for. */
export function tagsFrom(topic: string, facts: readonly Segment[]): readonly Segment[] {
  // Without its dots “8.19.0” would be another version.
  const phrase = topic
    .trim()
    .split(/\s+/)
    .filter(word => !version.test(word))
  const whole = phrase.length <= 3 ? tagOf(phrase.map(capital).join('')) : undefined
  const inTopic = new Set(phrase.map(word => stemOf(word.toLowerCase())))
  const own = whole === undefined ? [] : [{ text: whole, source: 'topic' }]
  return [
    ...own,
    ...[...facts.flatMap(namesIn), ...repeated(facts)].filter(({ text }) => !inTopic.has(stemOf(text.toLowerCase()))),
  ]
}

const version = /^v?\d+(?:\.\d+)+/i

/** Whether a tag is a word of a text, or several in a row. */
export const isTagOf = (tag: string, text: string): boolean => lettersOf(text).toLowerCase().includes(tag.toLowerCase())

const lettersOf = (text: string) => text.normalize('NFC').replaceAll(/[^\p{L}\p{M}\p{Nd}_]/gu, '')

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** Words with a capital within a sentence, those in a row as one. The first of a sentence has one anyhow. */
function namesIn({ text, source }: Segment): Segment[] {
  return [
    ...text.matchAll(
      /(?<![\p{L}\p{M}\p{Nd}_])\p{Lu}[\p{L}\p{M}\p{Nd}]{2,24}(?![\p{L}\p{M}\p{Nd}_])(?: \p{Lu}[\p{L}\p{M}\p{Nd}]{1,24}){0,2}/gu,
    ),
  ]
    .filter(({ index }) => index > 0 && !/[.!?…:。"“„(]\s{0,3}$/.test(text.slice(Math.max(0, index - 5), index)))
    .flatMap(({ 0: name }) => {
      const tag = calendar.test(name) ? undefined : tagOf(name)
      return tag === undefined ? [] : [{ text: tag, source }]
    })
}

/** English words that are rare elsewhere and stand here at least twice, as nouns. */
function repeated(facts: readonly Segment[]): Segment[] {
  const words = new Map<string, { text: string; source: string; times: number; isNoun: boolean; isVerb: boolean }>()
  for (const { text, source } of facts)
    for (const { 0: word, index } of text.matchAll(/\p{L}[\p{L}\p{M}]{3,24}/gu)) {
      const stem = stemOf(word.toLowerCase())
      const before = /([\p{L}\p{M}’']{1,24}) $/u.exec(text.slice(Math.max(0, index - 25), index))?.[1]?.toLowerCase()
      const isNoun = before !== undefined && announcing.has(before)
      const isVerb = before !== undefined && !isNoun && (acting.has(before) || word.endsWith('s'))
      const known = words.get(stem)
      if (known) {
        known.times++
        known.isNoun ||= isNoun
        known.isVerb ||= isVerb
      } else if (isEnglishWord(word.toLowerCase()) && rarity(stem) >= RARE && !endings.test(word))
        words.set(stem, { text: word.toLowerCase(), source, times: 1, isNoun, isVerb })
    }
  return [...words.values()]
    .filter(({ times, isNoun, isVerb }) => times > 1 && isNoun && !isVerb)
    .toSorted((a, b) => b.times - a.times || (a.text < b.text ? -1 : 1))
    .map(({ text, source }) => ({ text, source }))
}

const setOf = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Behind these stands a noun. */
const announcing = setOf(
  'a an the my our your his her its their this that these those each every any some no more of for with without from in on at by about into',
)
/** Behind these stands a verb, or what somebody or something is; behind a noun it is one that ends in s. */
const acting = setOf(
  'i you he she it we they who which to is are was were be been can could may might must shall should will would do does did not never always',
)

const RARE = 0.5

/** Adverbs and forms of verbs make poor tags. */
const endings = /(?:ly|ed|ing)$/

const calendar =
  /^(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September|October|November|December|Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonnabend|Sonntag|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember)\b/
