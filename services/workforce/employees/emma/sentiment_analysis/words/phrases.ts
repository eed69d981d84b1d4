/**
 * Phrases that say something else than their words: “no issues” is good, “could not be happier” too, and “could have been
 * better” is not. VADER reads the words.
 */
import { lexicon } from '../../../src/text/vader/lexicon.ts'
import type { Tokens } from './tokens.ts'

export interface PhraseWord {
  readonly valence: number
  readonly negated: boolean
}

/** What each word of such phrases weighs, by its place; those of a phrase that are not in it weigh nothing. */
export function phraseWords({ words, joined }: Tokens): Map<number, PhraseWord | undefined> {
  const found = new Map<number, PhraseWord | undefined>()
  if (!words.lower.some(word => triggers.has(word) || word.endsWith("n't"))) return found
  const placeAt = places(words.lower)
  for (const { pattern, weigh, negates } of phrases) {
    pattern.lastIndex = 0
    for (let match = pattern.exec(joined); match; match = pattern.exec(joined)) {
      const [phrase] = match
      const first = placeAt(match.index)
      const last = placeAt(match.index + phrase.length - 1)
      if (found.has(first) || found.has(last)) continue
      const valences = words.lower.slice(first, last + 1).map(word => weigh(word, phrase))
      if (valences.every(valence => valence === undefined)) continue
      for (const [at, valence] of valences.entries())
        found.set(first + at, valence === undefined ? undefined : { valence, negated: negates })
    }
  }
  return found
}

/** Gives the index of the word in whose letters, or sign after them, a place of the joined words is. */
function places(lower: readonly string[]): (place: number) => number {
  const starts = new Uint32Array(lower.length)
  let start = 0
  for (const [at, word] of lower.entries()) {
    starts[at] = start
    start += word.length + 1
  }
  return place => {
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] as number) <= place) low = middle
      else high = middle - 1
    }
    return low
  }
}

interface Phrase {
  readonly pattern: RegExp
  /** What a word of it weighs; undefined for nothing. */
  readonly weigh: (word: string, phrase: string) => number | undefined
  readonly negates: boolean
}

const any = (words: string) => `(?:${words.trim().split(/\s+/).join('|')})`
const setOf = (words: string) => new Set(words.trim().split(/\s+/))

/** What nobody wants to have: to have none of it is good. */
const TROUBLES = `issue issues problem problems bug bugs delay delays scratch scratches fuss hassle hassles glitch glitches complaint
  complaints complains regret regrets downside downsides drawback drawbacks fault faults flaw flaws error errors defect defects
  damage damages trouble troubles worry worries concern concerns lag crash crashes hiccup hiccups mess drama nonsense pain stress
  headache headaches wobble leak leaks leaking dent dents stain stains crack cracks hitch hitches snag snags gripe gripes quibble
  quibbles blemish blemishes disappointment disappointments failure failures side-effects breakage interference static difficulty
  difficulties discomfort irritation malfunction malfunctions inconvenience weaknesses shortcomings typos spam clutter crashing noise noises smells
  odor odors odour mistakes rattle rattles squeak squeaks`
const troubles = setOf(TROUBLES)
const TROUBLE = any(TROUBLES)
const NOT = String.raw`(?:[a-z]+n't|not|never|cannot|cant|dont|didnt|doesnt|havent|hasnt|hadnt|wasnt|isnt|without|neither|nor)`
/** What may stand between “not” and “issues”. */
const BETWEEN =
  any(`have has had having got get getting give given gives gave cause caused see seen saw find found encountered
  experienced experience run into come across me us any a an one single been there real major minor big serious significant
  noticeable visible technical apparent obvious other further more such kind sort of so far ever yet even the slightest`)
/** What may stand between “not” and “free of issues”. */
const SLIGHTLY =
  '(?:(?:a|an|the|ever|once|even|really|exactly|entirely|completely|totally|fully|quite|actually|always) ){0,2}'
/** Trouble that is taken away says nothing bad. */
const UNSOLVED = '(?<!(?:fix|solv|resolv)(?:es|ed|e|ing)? (?:(?:up|out|the|these|those|all|for|me|us) ){0,2})'
const OPENS = '(?<![^ ,.])'
const ENDS = '(?![^ ,.])'

const phrase = (pattern: string, weigh: Phrase['weigh'], negates = true): Phrase => ({
  pattern: new RegExp(`${OPENS}${pattern}${ENDS}`, 'g'),
  weigh,
  negates,
})

/** What is left of a word that is turned round: VADER's factor of negations. */
const TURNED = -0.74
/** “Not that I don't like it” says little. */
const HARDLY = 0.1
/** What a good word weighs where nothing can be better: VADER's factor for “never so”. */
const FULLY = 1.25

const COMPARED: Readonly<Record<string, number>> = {
  simpler: 1.8,
  quicker: 1.6,
  faster: 1.6,
  smoother: 1.8,
  clearer: 1.6,
  cleaner: 1.6,
  friendlier: 2.2,
  fresher: 1.6,
  softer: 1.4,
  tastier: 2,
  slower: -1.6,
  ruder: -2.2,
  colder: -1.4,
  blander: -1.6,
  more: 2,
}
const comparatives = [...lexicon.keys()].filter(word =>
  /^(?:[a-z]{3,}ier|better|nicer|worse|greater|easier|safer|kinder|sweeter|wiser|dumber|finer|uglier|stronger|smarter|warmer)$/.test(
    word,
  ),
)
const COMPARATIVE = any([...comparatives, ...Object.keys(COMPARED).filter(word => word !== 'more')].join(' '))
const feeling = (word: string) => COMPARED[word] ?? lexicon.get(word)

const isLast = (word: string, whole: string) => whole === word || whole.endsWith(` ${word}`)

/** The last word decides: it is as good, or as bad, as can be; less of it is the contrary. */
const asCanBe: Phrase['weigh'] = (word, whole) => {
  if (!isLast(word, whole)) return undefined
  const valence = feeling(word)
  return valence === undefined ? undefined : valence * FULLY * (/ less [a-z']+$/.test(whole) ? -1 : 1)
}

const CANNOT = String.raw`(?:could hardly|can hardly|could not|could never|couldn't|couldnt|can't|cant|cannot|can not)`
/** Any word: only one of the lexicon makes a phrase. */
const FELT = "[a-z']{3,}"

const turned: Phrase['weigh'] = (word, whole) => {
  const valence = isLast(word, whole) ? lexicon.get(word) : undefined
  return valence === undefined ? undefined : TURNED * valence
}

const only =
  (word: string, valence: number): Phrase['weigh'] =>
  found =>
    found === word ? valence : undefined
const last =
  (valence: number): Phrase['weigh'] =>
  (word, whole) =>
    isLast(word, whole) ? valence : undefined

/** Without one of these there is no phrase. */
const triggers =
  setOf(`no zero not nothing nobody never neither nor without hardly cannot cant couldnt dont wont didnt doesnt havent
  hasnt hadnt wasnt isnt free could should would might let lets leave leaves left anything hard tough little far hoped wanted wished stopped quit lots lot tons full plenty
  many several constant endless numerous repeated major serious wish wished`)

/** Where two fit the first is taken. */
const phrases: readonly Phrase[] = [
  // “They never fail to disappoint”: two denials leave the last word as it is.
  phrase(
    `${NOT} (?:ever )?fail(?:s|ed)? to [a-z]+`,
    (word, whole) => (isLast(word, whole) ? lexicon.get(word) : undefined),
    false,
  ),
  phrase(
    `not (?:that|because) (?:i|we) ${NOT} (?:[a-z]+ly )?${FELT}`,
    (word, whole) => (isLast(word, whole) ? (lexicon.get(word) ?? 0) * HARDLY : undefined),
    false,
  ),
  phrase(
    `${NOT} ${SLIGHTLY}(?:${TROUBLE} free|free (?:of|from) (?:${BETWEEN} ){0,2}${TROUBLE})`,
    word => (troubles.has(word) ? -1.2 : undefined),
    false,
  ),
  phrase(`${NOT} ${SLIGHTLY}(?:stopped|quit) working`, last(1.2)),
  phrase(
    `(?:${NOT} )without (?:${BETWEEN} |its |some ){0,2}${TROUBLE}`,
    word => (troubles.has(word) ? -1.2 : undefined),
    false,
  ),
  phrase(
    `(?:no|zero|not a single|without|free of|free from|nothing in the way of|hardly|${NOT}) (?:${BETWEEN} ){0,4}${TROUBLE}(?:[ ,](?:(?:or|and|nor|no) )?(?:${BETWEEN} ){0,1}${TROUBLE}){0,6}`,
    word => (troubles.has(word) ? 1.2 : undefined),
  ),
  phrase(`${TROUBLE} free`, word => (troubles.has(word) ? 1.2 : undefined)),
  phrase(
    `${CANNOT} (?!feel any [a-z]+ (?:after|until|since|despite|even))(?:possibly |really |honestly |have |be |been |feel |felt |get |ask |asked |wish |wished |hope |hoped |imagine |gone |turned |worked |out |for |any |a |much |anything |it |with ){0,5}(?:more |less )?(?:${COMPARATIVE}|(?<=(?:more|less) )${FELT}|(?<=(?:ask|asked|wish|wished|hope|hoped) for )more)`,
    asCanBe,
  ),
  phrase(
    `${NOT} (?:been |felt |had |seen |eaten |tasted |used |owned |met |bought |tried |worn |read |watched |heard |found |get |gets |experienced |such |a |an |any |much ){1,4}(?:${COMPARATIVE}|(?:more|less) ${FELT})`.replace(
      NOT,
      `(?:never|doesn't|does not|it don't)`,
    ),
    asCanBe,
  ),
  phrase(`(?:nothing|nobody|no one) (?:is |was |could be |can be |does it |beats |else )?${COMPARATIVE}`, asCanBe),
  phrase(`no ${COMPARATIVE}(?= (?!than)[a-z])`, asCanBe),
  phrase(
    String.raw`${CANNOT} (?:[a-z]+ ){0,1}(?:recommend|praise|thank|commend|compliment|rate|love)(?: [a-z']+){0,4} (?:enough|(?<!any )more|highly|too highly)`,
    (word, whole) => (isLast(word, whole) ? 2.6 : undefined),
  ),
  phrase(
    String.raw`${CANNOT} (?:speak|say)(?: [a-z']+){0,3} (?:enough|highly)(?: (?:good|great|nice|positive|wonderful|kind)(?: things)?| about)?`,
    last(2.4),
  ),
  phrase(`${CANNOT} get enough`, last(2.2)),
  phrase(
    `nothing but(?: the| a)?(?: absolute| pure| good| great| best| nice)? [a-z']+`,
    (word, whole) =>
      isLast(word, whole) && troubles.has(word)
        ? -1.7
        : word === 'nothing' || word === 'but'
          ? undefined
          : (lexicon.get(word) ?? (word === 'praise' ? 2.6 : undefined)),
    false,
  ),
  phrase(`(?:anything but(?: a)?|far from|hardly(?: a| an)?) ${FELT}`, turned),
  phrase(`not (?:nearly |quite |half |at all )?as ${FELT}(?= as)`, turned),
  phrase('as (?:i|we) (?:had |have )?(?:hoped|wanted|wished)', last(-0.3), false),
  phrase(`${NOT} waste (?:your|any|my)(?: [a-z']+){1,2}`, only('waste', -2.2), false),
  phrase(
    String.raw`(?:${CANNOT}|${NOT}|no reason to|nothing to|not much to|little to) (?:really |possibly |find (?:a |any )?)?(?:complain(?: about)?|fault(?: (?:it|them))?|grumble|go (?:far )?wrong)`,
    last(1.6),
  ),
  phrase(`(?:${CANNOT}|hard to|tough to) (?:really |possibly )?(?:be )?beat(?:en)?`, last(2)),
  phrase(`${CANNOT} wait(?: to| for)(?!(?: [a-z']+){1,5} (?:any longer|anymore|any more))`, last(1.5)),
  phrase(`${NOT} (?:even )?hesitate`, last(1.6)),
  phrase('never looked back', last(1.6)),
  phrase(
    `(?<!(?:they|he|she|it) (?:would |could |will |do |did )?|will )(?!won't|wont)${NOT} change (?:a|any) ?thing`,
    last(2),
  ),
  phrase(`${NOT} let (?:me|us|you|anyone) down`, last(1.8)),
  phrase('lets? (?:me|us|you|everyone) down', last(-1.8), false),
  phrase(
    `${NOT} (?:ever )?${any('buy order come go return stay eat shop use purchase visit recommend watch read')}(?: [a-z']+){0,3} again`,
    last(-1.8),
  ),
  phrase('never (?:ever )?again', last(-2)),
  phrase(`(?:do not|don't|dont) (?:even )?(?:bother|buy(?: (?:it|this|these|one|here|from))?)`, last(-1.6)),
  phrase(
    `(?:${NOT}|no longer|stopped|quit) (?:even )?work(?:ed|ing|s)?(?! (?:better|well|so|as|for|with|out))`,
    last(-1.6),
  ),
  phrase(
    `${UNSOLVED}(?:lots of|a lot of|tons of|full of|plenty of|many|several|constant|endless|numerous|repeated|major|serious) ${TROUBLE}`,
    last(-1.5),
    false,
  ),
  phrase(
    `wish(?:ed)? (?:[a-z]+ ){1,2}(?:was|were|had|would)(?: be| been| have| a| bit| more| little){0,3}(?: ${COMPARATIVE}| ${FELT})?`,
    only('wish', -1.4),
    false,
  ),
  phrase('(?:leaves?|left) nothing to be desired', last(1.8)),
  phrase('(?:leaves?|left) (?:a lot|much|a great deal|something|plenty) to be desired', last(-1.8), false),
  phrase(
    `(?:could|should|would|might) (?:have been|be|have)(?: a)?(?: lot| bit| little| much| far| way)? ${any('better nicer easier clearer faster quicker smoother cleaner friendlier softer warmer stronger')}`,
    last(-1.2),
    false,
  ),
]
