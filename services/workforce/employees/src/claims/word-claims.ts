/** Which words of promise, proof, law and health stand in a sentence without being given. */
import { superlativesIn } from '../text/superlatives.ts'
import type { Material, Paragraph } from './material.ts'
import { type Quantity, quantitiesIn } from './quantities.ts'
import type { WordClaims } from './word-lists.ts'
import { flat, formsOf, placesOf, stemsOf } from './words.ts'

/** What of a claim's words was not given. */
export function claimWords(
  { group, said, held, isNever = false, isBySentence = false, isTopic = false }: WordClaims,
  sentence: string,
  material: Material,
): string[] {
  const text = flat(sentence).replaceAll(asked, ' ').replaceAll(left, ' ').replaceAll(wished, ' ')
  const found = [...text.matchAll(said)].map(({ 0: words, index }) => ({
    words,
    index,
    denied: isDenied(text, index, words),
  }))
  if (found.length === 0 || isNever) return found.map(({ words }) => words)
  if (isBySentence && held !== undefined)
    return firstOfEach(found)
      .filter(({ words, index }) => !isHeldBySentence(words, around(words, index, text), held, material))
      .map(({ words }) => words)
  const own = [...stemsOf(text.replaceAll(said, ' '))].filter(stem => !isCommon(stem))
  return found
    .filter(
      ({ words, denied }) =>
        !(denied && (isGift.test(words) || (group === 'health' && isRemedy.test(words) && !promises.test(text)))),
    )
    .filter(({ words }) => !(isTopic && formsOf(words).some(form => material.stems.has(form))))
    .filter(({ words, denied }) => !(denied && group === 'claim' && isAsked(words, material)))
    .filter(({ words, denied }) =>
      held === undefined || (group === 'claim' && holdsWords(words, denied, material))
        ? !holdsWords(words, denied, material)
        : !holdsClaim(held, words, own, denied, material),
    )
    .map(({ words }) => words)
}

const firstOfEach = <One extends { readonly words: string }>(all: readonly One[]): One[] => {
  const seen = new Set<string>()
  return all.filter(({ words }) => seen.size < seen.add(words).size)
}

/** A sentence of 500,000 characters may claim as many things as it has words: of each, only what is near it is read. */
const around = (words: string, index: number, text: string): string =>
  text.slice(Math.max(0, index - FAR), index + words.length + FAR)

/** In characters. */
const FAR = 300

/** “I hope it heals well.” */
const wished =
  /\b(?:(?:i|we)(?:'re| are|'m| am)? (?:do |really |sincerely )?(?:hop(?:e|ing)|wish(?:ing)?)|hopefully|hope|fingers crossed|get well)\b[^.,;:!?]{0,80}/g

/** Whoever says that there is none promises none. */
const isGift =
  /refund|money|price|amount|reimburs|waiv|revers|forgiv|writ|scrap|drop|lift|halv|replac|exchang|swap|discount|voucher|gift|compensat|courier|deliver|ship|hurry/

/** “We make skincare, not treatments.” “No danger” is another matter: that is a claim. */
const isRemedy = /^(?:cur|heal|treat|medic|therap|prevent|diagnos|safe (?:for|to))/
/** “It never fails to heal”, “no cream treats it like ours”: a denial that promises. */
const promises =
  /\b(?:fails?|only|just|merely|simply|impossible|help but|without|unless|until|nothing|nobody|no one|(?:no|none|never)\b[^.;:!?]{0,40}\b(?:like|better|faster|as|so))\b/

/** “It isn't vegan”, where that was asked: a quality that is denied promises nothing. */
const isAsked = (words: string, { paragraphs, stems }: Material): boolean =>
  formsOf(words).some(form => stems.has(form) && !paragraphs.some(one => one.stems.has(form)))

/** What the customer is said to want or to feel is told back to them. */
const asked =
  /(?<!\bif )\byou(?:'d| have|'ve|r| are|'re)? (?:ask(?:ed|ing)?(?: us)? (?:for|about|whether|if)|wanted|wish(?:ed)? for|request(?:ed)?|mention(?:ed)?|wonder(?:ed)?|question about|feel|felt|think|thought|hoped?|expect(?:ed)?|believe)\b(?:(?!\b(?:and|but|so|then|we|you|i)\b)[^.,;:!?]){0,60}/g

/** What the writer leaves to others: “I can't comment on the legal side”. */
const left =
  /\b(?:\w+ questions? are (?:beyond|nothing for|not for) us|you (?:may|might|could) (?:well )?find (?:it|them|one|that) (?:cheaper|elsewhere|online|for less)[^.;:!?,]{0,40}|says? nothing about[^.;:!?,]{0,60}|(?:can't|cannot|can not|couldn't|won't|(?:not|n't) able to|unable to|isn't something (?:\w+ )?can|not something (?:\w+ )?can)(?: \w+)? (?:comment|advise|say|judge|decide|promise|tell|confirm|answer|assess|speak|rule|give advice|give you advice))\b[^.;:!?]{0,80}?(?=[.;:!?,]|\bbut\b|$)/g

/**
 * Whether a paragraph that shares a word with the sentence has the claim, and does not deny it where the sentence claims it. A
 * short sentence need share nothing but its claim: “Fully insured”.
 */
function holdsClaim(
  held: RegExp,
  said: string,
  own: readonly string[],
  denied: boolean,
  { paragraphs }: Material,
): boolean {
  const isShort = own.length <= FEW && !said.includes(' ')
  const isAlone = own.length === 0
  return holdersOf(held, paragraphs).some(
    ({ paragraph: { stems }, isClaimed }) =>
      (denied || isClaimed) &&
      (own.some(stem => stems.has(stem)) || (isShort && formsOf(said).some(form => stems.has(form))) || isAlone),
  )
}

interface Holder {
  readonly paragraph: Paragraph
  /** Whether it does not deny it. */
  readonly isClaimed: boolean
}

/** Which paragraphs have a claim. Each is read once for it, however often a text claims it. */
function holdersOf(held: RegExp, paragraphs: readonly Paragraph[]): readonly Holder[] {
  const read = holders.get(paragraphs) ?? new Map<RegExp, readonly Holder[]>()
  holders.set(paragraphs, read)
  const known = read.get(held)
  if (known !== undefined) return known
  const found = paragraphs.flatMap(paragraph => {
    const all = [...paragraph.text.matchAll(held)]
    if (all.length === 0) return []
    return [{ paragraph, isClaimed: all.some(one => isClaimedIn(paragraph.text, one)) }]
  })
  read.set(held, found)
  return found
}

/** “Payments are not refunded, except within 14 days” grants some. */
const isClaimedIn = (text: string, { 0: words, index }: RegExpExecArray): boolean =>
  !isDenied(text, index, words) ||
  /^[^.;:!?]{0,60}\b(?:except|unless)\b/.test(text.slice(index + words.length, index + 120))

const holders = new WeakMap<readonly Paragraph[], Map<RegExp, readonly Holder[]>>()

const FEW = 3

/**
 * “Postage is free from 40 euros” holds no “postage is free”: what has a condition is given on it alone. Of what is free, the words
 * beside it tell; where there are none, the whole text does.
 */
function isHeldBySentence(words: string, text: string, held: RegExp, { sentences }: Material): boolean {
  const clause = text.split(/[,;:.!?()]| and | but | – | — /).find(part => part.includes(words)) ?? text
  const beside = conditional.test(text) ? text : clause
  const [, forWhat = ' '] = /^(?:at )?no (?!extra|additional|further)(\w+) (?:charge|cost|fee)s?$/.exec(words) ?? []
  const ownIn = (part: string) =>
    [...stemsOf(part.replaceAll(words, forWhat))].filter(
      stem => !isCommon(stem) && !/^(?:\d|(?:day|week|month|year|try|start|use|enjoi)$)/.test(stem),
    )
  const besideIt = ownIn(beside)
  const isLike = besideIt.length === 0
  const own = !isLike && pointing.test(clause) ? ownIn(text) : besideIt
  const isConditional = conditional.test(text)
  const isGiven = (given: string) =>
    (/^no \w+ \w/.test(words) && given.includes(words)) || (/ pay$/.test(words) && /\bwaiv(?:ed?|ing)\b/.test(given))
  let quantities: readonly Quantity[] | undefined
  const isEnough = (least: Quantity | undefined) => {
    if (least === undefined) return false
    quantities ??= quantitiesIn(text)
    return isReached(least, quantities)
  }
  return holdersOf(held, sentences).some(
    ({ paragraph }) =>
      (isLike || isGiven(paragraph.text) || own.some(stem => paragraph.stems.has(stem))) &&
      (isConditional || isUnconditional(paragraph) || isEnough(leastOf(paragraph))),
  )
}

/** “The snow cost you a lesson, and we will repeat it for free.” */
const pointing = /\b(?:it|them|this|that|these|those)\b/

const isUnconditional = ({ text }: Paragraph): boolean => text.search(condition) < 0

/** “A kilo for £34, and postage is on us”, where it is from £25. */
const isReached = (least: Quantity, quantities: readonly Quantity[]): boolean =>
  least.dimension !== undefined &&
  quantities.some(({ dimension, value }) => dimension === least.dimension && value >= least.value)

function leastOf(paragraph: Paragraph): Quantity | undefined {
  const known = leasts.get(paragraph)
  if (known !== undefined) return known[0]
  const found = quantitiesIn(/(?<!\p{L})(?:from|over|above)(?!\p{L}).{1,20}/u.exec(paragraph.text)?.[0] ?? '').slice(
    0,
    1,
  )
  leasts.set(paragraph, found)
  return found[0]
}

const leasts = new WeakMap<Paragraph, readonly Quantity[]>()

const condition =
  /(?<!\p{L})(?:(?:from|over|above|under) [£$€]?\d|(?:if|unless|only|when|once(?![.,;])|where)(?!\p{L})|for \p{L}+ (?:under|over|with|who))/u
const conditional =
  /(?<!\p{L})(?:from|over|above|past|beyond|under|if|unless|only|when|once|where|until|while|within|because|since|as|kids?|children|mark|threshold)(?!\p{L})/u

/** Whether each longer word of them stands in what may be claimed. */
const holdsWords = (words: string, denied: boolean, material: Material): boolean =>
  isNeedless(words, material) || hasWords(words, denied, material)

/** “No tools required” where it is said to go without tools. */
function isNeedless(words: string, { paragraphs }: Material): boolean {
  const [, thing] = /^no (\w{3,}) (?:needed|required|necessary)$/.exec(words) ?? []
  return (
    thing !== undefined &&
    paragraphs.some(
      ({ text, stems }) =>
        formsOf(thing).some(form => stems.has(form)) &&
        placesOf(text, thing).some(index => isDenied(text, index, thing)),
    )
  )
}

const hasWords = (words: string, denied: boolean, { paragraphs }: Material): boolean =>
  words
    .split(/[ -]/)
    .filter(word => word.length > 2)
    .every(word =>
      paragraphs.some(({ text, stems }) => {
        if (!formsOf(word).some(form => stems.has(form))) return false
        const start = word.slice(0, 5)
        const at = placesOf(text, start)
        return denied || at.length === 0 || at.some(index => !isDenied(text, index, start))
      }),
    )

/** Whether a “no” or “not” stands close before the words, or just behind them. */
function isDenied(text: string, index: number, words: string): boolean {
  const before = text.slice(Math.max(0, index - 40), index)
  const behind = text.slice(index + words.length, index + words.length + 25)
  return (
    denial.test(before) ||
    /^[:,?]? no\b/.test(behind) ||
    /^[^.,;:!?]{0,12}\b(?:not|n't|never|impossible|cannot|can't|isn't|aren't|wasn't|won't|doesn't)\b/.test(behind)
  )
}

const denial =
  /\b(?:not(?! only| just)|no(?! doubt| question| problem| worries)|never|nor|neither|cannot|can't|unable|declin\w*|refus\w*|without|\w+n't)\b[^.,;:!?]{0,38}$/

const isCommon = (stem: string): boolean => (stem.length < 3 && !/\d/.test(stem)) || common.has(stem)
const common: ReadonlySet<string> = new Set(
  'the and for you your our with are will has have had was were that this not can all but any its from get got who when what than then they them into out one'.split(
    ' ',
  ),
)

/** Superlatives that what may be claimed does not have. */
export const superlativesNew = (sentence: string, { paragraphs }: Material, isOfTable = false): string[] =>
  superlativesIn(sentence.replaceAll(courtesy, ' '))
    .map(flat)
    .filter(word => !(isOfTable && (ofTables.test(word) || isMostIn(word, paragraphs))))
    .filter(
      word => !paragraphs.some(({ text, stems }) => text.includes(word) || formsOf(word).some(form => stems.has(form))),
    )

/** “All the best from Galway” wishes; “most young players” without “the” compares nothing. */
const courtesy =
  /(?<!\p{L})(?:all the best|my best to)(?!\p{L})|(?<!(?:the|our|my|your|its|their|his|her|is|are|was|were|be) )(?<!\p{L})most(?= (?:\p{L}+ ){1,2}\p{L}+s(?!\p{L}))/giu

/** “The most rides” where their highest number was given. */
const isMostIn = (word: string, paragraphs: Material['paragraphs']): boolean =>
  word.startsWith('most ') &&
  paragraphs.some(({ text, stems }) => greatest.test(text) && formsOf(word.slice(5)).some(form => stems.has(form)))

const greatest = /(?<!\p{L})(?:highest|most|largest)(?!\p{L})/u

/** A table has a least and a most of everything. */
const ofTables = /^(?:highest|lowest|largest|biggest|greatest)$/
