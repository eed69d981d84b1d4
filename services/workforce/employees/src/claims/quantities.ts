/** Figures of a text with what they count: “two weeks” and “14 days” are the same, “30 days” and “30 euros” are not. */
import { stemOf } from '../text/english.ts'
import { type ClockTime, clockTimesIn } from './clock.ts'
import { scale, scaleOf, word, wordValue } from './number-words.ts'
import { oddFigure, oddOnes, ratioFigure } from './odd-quantities.ts'
import { headingsIn, isCurrency, unitBehind } from './units.ts'

export interface Quantity {
  /** In the base of its dimension: minutes, grams, millimetres. */
  readonly value: number
  /** As written, without the unit's factor. */
  readonly plain: number
  readonly dimension: string | undefined
  /** Said to be rough, and in which direction. */
  readonly hedge: 'near' | 'rough' | 'over' | 'under' | undefined
  /** Whether a word stands behind it that is no unit: something is counted. */
  readonly counts: boolean
  /** Stems of the two words behind it, where they are no unit. */
  readonly counted: readonly string[]
  /** “Two” or “three”, in words, and “ten would”: mostly said of what the text itself lists or supposes. */
  readonly isSmall: boolean
  /** What is counted are parts of a text: “three reasons”. */
  readonly isOfText: boolean
  /** What is counted are days of the week: “six Saturdays”. */
  readonly isOfDays: boolean
  /** So many for each of something else: “100 lumen for every watt”. */
  readonly isRate: boolean
  /** “21 others”, “all 62”: what is left of a count, or its sum. */
  readonly isOfRest: boolean
  /** Without a currency, and written as amounts are: “8.90”. */
  readonly isAmount: boolean
  /** It names something, such as an order, and measures nothing. */
  readonly isId: boolean
  /** Dimensions of units that stand before it without a figure of their own: “Median hours: 5.5”. */
  readonly headings: readonly string[]
  readonly shown: string
}

const before = String.raw`(?:(?:ca|us|au|nz)?(?<sign>[€£$]|chf|eur|usd|gbp))? ?`
const figure = new RegExp(
  String.raw`(?<![\p{L}\d.,])(?<ratio>${ratioFigure})(?![\p{L}\d]|[.,]\d| (?:hours?|days?|weeks?|months?|years?))|(?<![\p{L}])${before}(?:(?<digits>\d+(?:[.,\u00a0\u202f]\d+)*)|(?<words>${word})(?![\p{L}]))(?:[ -]?(?<scale>${scale}|k|m|bn)(?![\p{L}]))?|(?<![\p{L}])(?<odd>${oddFigure})(?![\p{L}])`,
  'giu',
)

export function quantitiesIn(whole: string): Quantity[] {
  // “12x15 cm”
  const text = whole.replaceAll(/(?<=\d) ?[x×] ?(?=\d)/g, ' x ')
  const times = clockTimesIn(text)
  const found = [...text.matchAll(figure)].flatMap(match => {
    const [start, end] = [match.index, match.index + match[0].length]
    if (times.some(time => end > time.start && start < time.end) || isNoFigure(text, start, match[0])) return []
    const quantity = quantityOf(text, match, start, end)
    return quantity ? [{ quantity, start, end }] : []
  })
  for (let at = found.length - 2; at >= 0; at--) {
    const one = found[at] as Found
    found[at] = { ...one, quantity: withUnitBehind(text, one, found[at + 1]) }
  }
  for (let at = 1; at < found.length; at++) {
    const one = found[at] as Found
    found[at] = { ...one, quantity: withCurrencyBefore(text, one, found[at - 1] as Found) }
  }
  return [...found.map(({ quantity }) => quantity), ...times.map(one => timeQuantity(text, one))]
}

function quantityOf(text: string, { groups = {} }: RegExpExecArray, start: number, end: number): Quantity | undefined {
  const { digits, words, scale: factor, sign } = groups
  const odd = groups.odd ?? groups.ratio
  const rest = text.slice(end, end + 40).toLowerCase()
  const leading = text.slice(Math.max(0, start - 80), start).toLowerCase()
  const hedge = hedgeOf(leading)
  if (odd !== undefined) {
    // A share in words is a rough one.
    const own = oddOnes(odd.toLowerCase())
    if (own === undefined) return undefined
    const isShare = own.dimension === 'share'
    return { ...nothing, ...own, hedge: isShare ? (hedge === 'near' ? 'rough' : (hedge ?? 'near')) : hedge, shown: odd }
  }
  const unit = unitBehind(sign?.toLowerCase() ?? rest.replace(/^[\s\u00a0\u202f-]{1,2}/, ''))
  const plain = (digits === undefined ? wordValue(words ?? '') : numberOf(digits)) * scaleOf(factor)
  // “One” is mostly no figure; with a unit it is, but for “not one metre”.
  if (plain === 1 && /(?:not|no|every|each|another|single)\s*$/.test(leading)) return undefined
  if (plain === 1 && words !== undefined && (unit === undefined || unit[1] === 'month')) return undefined
  // “Four times a year” is every three months.
  if (unit === undefined && plain > 0 && /^ times (?:a|per) year(?!\p{L})/u.test(rest))
    return { ...nothing, value: 12 / plain, plain, dimension: 'month', shown: text.slice(start, end).trim() }
  const counts = unit === undefined && !/[.,]\d{1,2}$/.test(digits ?? '') && isCountOf.test(rest)
  return {
    ...nothing,
    value: plain * (unit?.[2] ?? 1),
    plain,
    dimension: unit?.[1],
    hedge,
    counts,
    counted: counts ? (rest.match(/\p{L}{3,}/gu) ?? []).slice(0, 2).map(stemOf) : [],
    isSmall:
      (words !== undefined && (plain === 2 || plain === 3 || (counts && plain > 3 && plain <= FEW))) ||
      /^ would(?!\p{L})/u.test(rest),
    isOfText: ofText.test(rest),
    isOfDays: ofDays.test(rest),
    isRate: ofRate.test(rest),
    isOfRest: ofRest.test(rest) || ofRest.test(leading.slice(-25)),
    isAmount: unit === undefined && /\.\d\d$/.test(digits ?? ''),
    isId: unit === undefined && idBefore.test(leading),
    headings: unit === undefined ? headingsIn(leading.slice(leading.lastIndexOf('\n') + 1)) : [],
    shown: text.slice(start, Math.min(text.length, end + (/^ ?%/.exec(rest)?.[0].length ?? 0))).trim(),
  }
}

/** A small count of what the brief does not count claims little: “four friends”. */
const FEW = 6

const nothing: Quantity = {
  value: 0,
  plain: 0,
  dimension: undefined,
  hedge: undefined,
  counts: false,
  counted: [],
  isSmall: false,
  isOfText: false,
  isOfDays: false,
  isRate: false,
  isOfRest: false,
  isAmount: false,
  isId: false,
  headings: [],
  shown: '',
}

const timeQuantity = (text: string, { minutes, isEither, start, end }: ClockTime): Quantity => ({
  ...nothing,
  value: minutes,
  plain: minutes / 60,
  hedge: roughTime.test(text.slice(Math.max(0, start - 20), start)) ? 'near' : undefined,
  dimension: isEither ? 'clock12' : 'clock',
  shown: text.slice(start, end),
})

const roughTime = /(?<!\p{L})(?:after|before|past|around|about|nearly|almost|towards) $/iu

/** “A line or two”, “four-legged”, the number of an entry of a list, and thousands of nothing of the company's. */
function isNoFigure(text: string, start: number, shown: string): boolean {
  const behind = text.slice(start + shown.length, start + shown.length + 10)
  const before = text.slice(Math.max(0, start - 10), start)
  if (/^-(?:legged|letter)/.test(behind)) return true
  // “If yours breaks one day”
  if (/^\s*one$/i.test(shown) && /^ day(?! (?:after|before|later|earlier|from))/.test(behind))
    return !spanBefore.test(before)
  if (/^\s*two$/i.test(shown) && /\p{L} or\s*$/u.test(before)) return true
  if (/^\s*\p{L}+[ -](?:thousand|million)$/iu.test(shown)) return !ofCompany.test(text)
  return /^\s*\d{1,2}$/.test(shown) && /(?:^|\n)[\s>*_#]*$/.test(before) && /^[.)](?:\s|$)/.test(behind)
}

const spanBefore = /(?:in|takes?|needs?|after|for|only|by|than|least|most)\s*$/
const ofCompany = /(?<!\p{L})(?:we|our|us|customers?|users?|people|guests|sold|trust\p{L}*|already)(?!\p{L})/iu
const isCountOf =
  /^[ -](?!(?:instead|rather|more|less|apiece|all|in|on|to|by|or|if|so|as|at|plus|and|but|for|from|then|than|with|now|was|were|are|has|had|until|each|per|the|this|that|when|which)\b)\p{L}{3,}/u
const ofDays = /^ (?:mon|tues|wednes|thurs|fri|satur|sun)days(?!\p{L})/u
const ofRate = /^ (?:(?:euros?|pounds?|dollars?|\p{L}+) )?(?:per|for each|for every|each|an?)(?!\p{L})/u
const ofRest =
  /(?<!\p{L})(?:others?|rest|remaining|left|more|fewer|less|total|altogether|together|combined|another|all|both|leaving|saves?|instead|rather|difference|plus|comes? to|makes?)(?!\p{L})/u

interface Found {
  readonly quantity: Quantity
  readonly end: number
  readonly start: number
}

/** “12 pounds a month or 120 a year”: the currency is that of the first. */
function withCurrencyBefore(text: string, { quantity, start }: Found, { quantity: first, end }: Found): Quantity {
  if (quantity.dimension !== undefined || quantity.isId || !isCurrency(first.dimension)) return quantity
  if (
    !/^ ?(?:euros?|pounds?|dollars?|€|£|\$)? (?:(?:a|per|for|each) \p{L}+,? )?(?:or|and|to) $/u.test(
      text.slice(end, start),
    )
  )
    return quantity
  return { ...quantity, dimension: first.dimension, counts: false }
}

/** “2 to 4 weeks”: the unit behind the second is that of the first. */
function withUnitBehind(text: string, { quantity, end }: Found, next: Found | undefined): Quantity {
  if (quantity.dimension !== undefined || next?.quantity.dimension === undefined) return quantity
  if (!/^ ?(?:to|-|–|or|and|bis|x|×|by)? ?$/i.test(text.slice(end, next.start)) || next.quantity.plain === 0)
    return quantity
  const { dimension, value, plain } = next.quantity
  return { ...quantity, dimension, value: (quantity.plain * value) / plain, counts: false }
}

/** An order, a room or an article is named by its number. */
const idBefore =
  /(?<!\p{L})(?:order|no\.?|nr\.?|contract|ticket|invoice|case|claim|room|gate|platform|page|article|section|version|model|id|code)(?: (?:no\.?|nr\.?|number|id):?)? ?#? ?$|#$/u

const ofText =
  /^ (?:\p{L}+ )?(?:ways?|steps?|things?|reasons?|tips?|points?|questions?|parts?|ideas?|words?|lines?|sentences?|answers?|options?|choices?|possibilities|rules?|habits?|ingredients?|examples?|sides?)(?!\p{L})/u

const numberOf = (digits: string): number => {
  const plain = digits.replaceAll(/[,\u00a0\u202f](?=\d{3}(?!\d))/g, '').replace(/,(?=\d+$)/, '.')
  return Number(plain) || Number.parseFloat(plain) || 0
}

function hedgeOf(leading: string): Quantity['hedge'] {
  const found =
    /(?:(about|around|roughly|nearly|almost|approximately|some|circa|close to|shortly (?:after|before)|soon after|just (?:after|before)|just|well|~) ?)?(over|more than|at least|above|under|less than|fewer than|below)? ?(?:the )?$/.exec(
      leading,
    )
  if (found?.[2]) return /over|more|least|above/.test(found[2]) ? 'over' : 'under'
  return found?.[1] && found[1] !== 'just' && found[1] !== 'well' ? 'near' : undefined
}
