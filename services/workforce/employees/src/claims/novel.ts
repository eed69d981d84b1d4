/** Sentences that speak of what was not given: features that nothing has, and what happened elsewhere. */
import { isEnglishWord, rarity, stemOf } from '../text/english.ts'
import type { Material } from './material.ts'
import { isNumberWord } from './number-words.ts'
import { flat, formsOf, wordsIn } from './words.ts'

/** Behind these stands what something has or can do. */
const having =
  /(?<!\p{L})(?:has|have|(?<=(?:,|and) )with(?= an? )|comes? with|includes?|including|features?|featuring|offers?|supports?|provides?|equipped with|integrates? with|works? with|compatible with|controlled by|lets? you|allows? you to|made (?:of|from))(?!\p{L}) (?!(?:gone|been|\p{L}+ed|\p{L}+en)(?!\p{L}))([^.;:!?]{3,120})/giu

/** What is told of that the material has no word for; empty where enough of the sentence is known. */
export function novelIn(sentence: string, material: Material): string[] {
  const tellings = wordsIn(sentence).filter(word => word.length > 3 && tells(word))
  const strange = [...new Set(tellings.filter(word => !isKnown(word, material)))]
  const features = strange.filter(word => featureLike.test(word))
  if (features.length > 0) return features
  const share = strange.length / new Set(tellings).size
  if (strange.length >= MOST_STRANGE && share > 0.7 && !you.test(sentence) && !bidding.test(sentence))
    return strange.slice(0, 3)
  if (strange.length >= 3 && share >= 0.5 && weDo.test(sentence)) return strange.slice(0, 3)
  if (strange.length >= 3 && share > 0.4 && able.test(sentence) && !/\bif\b/i.test(sentence)) return strange.slice(0, 3)
  for (const [, why = ''] of flat(sentence).matchAll(reason)) {
    const told = wordsIn(why).filter(word => word.length > 3 && tells(word))
    const own = told.filter(word => !isKnown(word, material))
    if (ours.test(why) && own.length >= 2 && own.length >= 0.6 * told.length) return own.slice(0, 3)
  }
  return [...flat(sentence).matchAll(having)].flatMap(([, behind = '']) => {
    const first = wordsIn(behind)
      .slice(0, 5)
      .filter(word => word.length > 3 && tells(word))
    const own = first.filter(word => !isKnown(word, material))
    return own.length >= 2 && own.length >= 0.7 * first.length ? own.slice(0, 2) : []
  })
}

const isKnown = (word: string, { stems, words }: Material): boolean =>
  words.has(word) || formsOf(word).some(form => stems.has(form))

/** Rare enough elsewhere to say something here. */
const tells = (word: string): boolean =>
  word.length < 40 &&
  !/^mid-/.test(word) &&
  !isNumberWord(word) &&
  !/\d/.test(word) &&
  !contraction.test(word) &&
  !plain.has(word) &&
  (!isEnglishWord(word) || rarity(stemOf(word)) >= TELLING)
const TELLING = 0.6

/** “You'd”, “weren't”, and “weren”, which is left of it where words are cut at their signs: grammar, however rare. */
const contraction = /'(?:d|ll|m|re|t|ve)$|^(?:are|could|did|does|had|has|is|might|must|need|should|was|were|would)n$/

/** So many words that were not given tell of something else, unless the writer speaks to the reader. */
const MOST_STRANGE = 6
const you = /(?<!\p{L})(?:i|you|your|yours|yourself|we|our|us|let['’]s)(?!\p{L})/iu

/** “We grow our own chillies.” */
const weDo =
  /(?<!\p{L})(?:we|our (?!customers|clients|guests|users|members|readers)\p{L}+|i)(?:'ve| have| has)? (?:also |now |even |still |just |recently )?(?:grow|grew|bakes?|brews?|makes?|builds?|built|sources?|imports?|produces?|bought|buys?|moved|opened|hired|launched|added|installed|invested|partner(?:ed)?|trained|tests?|tested|expanded|switched|planted|designed|developed)(?!\p{L})/iu

/** “Rub in a little, and wipe off the rest.” */
const bidding =
  /^(?!(?:this|that|there|one|all|each|both|as|in|on|at|from|with|for|if|when|not|most|some|it)(?!\p{L}))\p{L}+ (?:in|up|out|off|down|an?|the|your|it|them|some)(?!\p{L})/iu

/** What somebody or something is able to do. */
const able =
  /\b(?:(?:you|customers|users|kids|children|guests|visitors|members|families|everyone|everybody|people|owners|readers|students) can(?! ?[,.;]| and )|(?:it|they) can also)\b/i

/** Behind these stands why something is as it is. */
const reason = /(?<!\p{L})(?:because(?: of)?|due to|owing to|, (?:as|since)|after)(?!\p{L}) ([^.,;:!?]{8,120})/giu
const ours = /^(?:our|one of our) \p{L}+|^(?:the|an?) \p{L}{2,}(?:ier|er|or|ory|any)s?(?!\p{L})/u

/** Qualities of things. */
const featureLike =
  /(?:proof|resistant|-free|able-\p{L}+|wireless|bluetooth|stackable|foldable|adjustable|dimmable|washable|rechargeable|upholstered)$/u

/** Words of courtesy and of grammar that are rare in other texts. */
const plain: ReadonlySet<string> = new Set(
  'whether within anything else dear thank thanks sorry apologise apologize apologies regret welcome kindly regards sincerely telling letting hear question questions answer wonder wondered understand annoying inconvenience patience asked hesitate unfortunately until till pick choose whichever whatever anybody anyone somebody someone nobody everybody everyone yourself switch suits prefer preferred rather glad happy roughly approximately around recent recently therefore however meanwhile'.split(
    ' ',
  ),
)
