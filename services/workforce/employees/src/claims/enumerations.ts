/** What a thing is said to have or to include, item by item: “clay, firing and an apron” where no apron was given. */
import { isEnglishWord, rarity, stemOf } from '../text/english.ts'
import type { Material } from './material.ts'
import { flat, formsOf, wordsIn } from './words.ts'

/** Items without one given word, of lists of what is had or included. */
export function itemsNew(sentence: string, material: Material): string[] {
  const text = flat(sentence)
  const lists = [
    ...[...text.matchAll(having)].map(([, list = '']) => list),
    ...[...text.matchAll(included)].map(([, list = '']) => list),
  ]
  const gifts = [...text.matchAll(given)].flatMap(([, item = '']) => item.split(ending)[0]?.trim() ?? '')
  return [
    ...gifts.filter(item => isNew(item, material)),
    ...lists.flatMap(list => {
      const items = list
        .split(/, (?:and |or |plus )?| and | or | plus | & /)
        .map(item => item.split(ending)[0]?.trim() ?? '')
        .filter(item => item !== '' && item.split(' ').length <= MOST_WORDS)
      return items.length > 1 && items.some(item => hasKnown(item, material))
        ? items.filter(item => isNew(item, material))
        : []
    }),
  ]
}

const having =
  /(?<!\p{L})(?:comes? with|includes?|including|included are|features?|featuring|offers?|covers?|supports?|provides?|equipped with|(?<=, )with)(?!\p{L}) ([^.;:!?()–—]{3,160})/gu
const included =
  /(?:^|[.;:!?()–—] ?)([^.;:!?()–—]{3,160}?) (?:(?:is|are)(?: all| both| also)? (?:included|supported|available|provided|covered|welcome)|from [£$€]\d)/gu
/** “Everybody who brings seeds goes home with a seedling.” */
const given =
  /(?<!\p{L})(?:everyone|everybody|each \p{L}+|every \p{L}+|all (?:guests|visitors|customers|members|children))(?: [^.,;:!?]{1,40}?)? (?:gets?|receives?|goes? home with|takes? home|wins?) (?:an? |the |their (?:own )?)([^.,;:!?]{3,60})/gu
/** Behind the noun of an item stands more about it. */
const ending =
  / (?:for|to|of|in|on|at|from|by|that|which|who|so|while|when|if|as|with|is|are|was|were|you|we|it|they|i|there|then|but|because|after|before|until|every|each|per|over|under|up)(?!\p{L})/u
const MOST_WORDS = 4

const tellingIn = (item: string): string[] => wordsIn(item).filter(word => word.length > 2 && !isPlain.test(word))

const isPlain =
  /^(?:the|your|our|their|its|his|her|own|all|any|more|other|few|some|each|every|both|also|even|just|now|not|you|we|they|them|one|two|three|lots?|much|many|plenty|something|anything|everything|thing|things|time|way)$/
const noItem =
  /^(?:i|you|he|she|it|we|they|this|that|these|those|one|box|please|have)(?!\p{L})|(?<!\p{L})(?:them|it|you|us)$/u

const hasKnown = (item: string, material: Material): boolean => tellingIn(item).some(word => isKnown(word, material))

function isNew(item: string, material: Material): boolean {
  if (noItem.test(item) || /\d/.test(item)) return false
  const words = tellingIn(item)
  const last = words.at(-1)
  if (last === undefined || words.some(word => isKnown(word, material))) return false
  return !/(?:ing|ed|ly)$/.test(last) && (!isEnglishWord(last) || rarity(stemOf(last)) >= TELLING)
}
const TELLING = 0.6

const isKnown = (word: string, { stems, words }: Material): boolean =>
  words.has(word) || formsOf(word).some(form => stems.has(form))
