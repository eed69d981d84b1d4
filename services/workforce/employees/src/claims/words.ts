/** Words of a text in the forms in which they are compared. */
import { stemOf } from '../text/english.ts'
import { folded } from '../text/plain-text.ts'

/** In small letters and with plain signs, so that typography makes no difference. */
export const flat = (text: string): string => folded(text).toLowerCase().replaceAll(/\s+/g, ' ').trim()

/** Letters, digits and spaces alone. */
export const bareOf = (text: string): string =>
  flat(text)
    .replaceAll(/[^\p{L}\p{N} ]/gu, '')
    .replaceAll(/ +/g, ' ')
    .trim()

/** Words in small letters, hyphenated ones also in their parts, without a genitive. */
export const wordsIn = (text: string): string[] =>
  (flat(text).match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'-]*/gu) ?? []).flatMap(word => {
    const plain = word.replace(/'s?$/, '').replace(/-+$/, '')
    if (plain.length > LONGEST) return []
    return plain.includes('-') || plain.includes("'") ? [plain, ...plain.split(/[-']/)] : [plain]
  })

/** A stemmer takes long over what is no word. */
const LONGEST = 100

/** Porter's stem of each word, and its first five letters: endings change, and so do their kinds. */
export const stemsOf = (text: string): ReadonlySet<string> => new Set(wordsIn(text).flatMap(formsOf))

export const formsOf = (word: string): string[] => {
  if (word.length > LONGEST) return []
  const base = irregular.get(word)
  const own = [stemOf(word), ...(word.length > 5 ? [`${Array.from(word).slice(0, 5).join('')}*`] : [])]
  return base === undefined ? own : [...own, stemOf(base)]
}

const irregular = new Map(
  'dosage:dose dosages:dose sent:send paid:pay made:make given:give gave:give taken:take took:take got:get gotten:get held:hold kept:keep bought:buy sold:sell built:build found:find left:leave lost:lose felt:feel met:meet ran:run run:run grew:grow grown:grow knew:know known:know wrote:write written:write began:begin begun:begin broke:break broken:break chose:choose chosen:choose came:come went:go gone:go rose:rise risen:rise fell:fall fallen:fall spoke:speak spoken:speak wore:wear worn:wear won:win led:lead lent:lend brought:bring thought:think told:tell said:say slept:sleep stood:stand cut:cut baked:bake women:woman men:man children:child people:person teeth:tooth feet:foot halves:half knives:knife leaves:leaf loaves:loaf shelves:shelf lives:life wives:wife'
    .split(' ')
    .map(pair => pair.split(':') as [string, string]),
)

/** Where a part of a text begins. */
export function placesOf(text: string, part: string): number[] {
  const found: number[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) found.push(at)
  return found
}
