/** Figures of a text with what they count: “two weeks” and “14 days” are the same, “30 days” and “30 euros” are not. */

export interface Quantity {
  /** In the base of its dimension: minutes, grams, millimetres. */
  readonly value: number
  /** As written, without the unit's factor. */
  readonly plain: number
  readonly dimension: string | undefined
  /** Said to be rough, and in which direction. */
  readonly hedge: 'near' | 'over' | 'under' | undefined
  /** Whether a word stands behind it that is no unit: something is counted. */
  readonly counts: boolean
  /** What is counted are parts of a text: “three reasons”. */
  readonly isOfText: boolean
  /** It names something, such as an order, and measures nothing. */
  readonly isId: boolean
  /** Dimensions of units that stand before it without a figure of their own: “Median hours: 5.5”. */
  readonly headings: readonly string[]
  readonly shown: string
}

const units: readonly (readonly [RegExp, string, number])[] = [
  [/^(?:%|per ?cent|percent)/, 'share', 1],
  [/^(?:€|euros?|eur)(?!\p{L})/u, 'eur', 1],
  [/^(?:£|pounds?|gbp|quid)(?!\p{L})/u, 'gbp', 1],
  [/^(?:\$|dollars?|usd|bucks)(?!\p{L})/u, 'usd', 1],
  [/^(?:chf|francs?)(?!\p{L})/u, 'chf', 1],
  [/^(?:cents?|pence)(?!\p{L})/u, 'cent', 1],
  [/^seconds?(?!\p{L})/u, 'time', 1 / 60],
  [/^min(?:ute)?s?(?!\p{L})/u, 'time', 1],
  [/^(?:hours?|hrs?|h)(?!\p{L})/u, 'time', 60],
  [/^(?:working|business|work) days?(?!\p{L})/u, 'workday', 1],
  [/^days?(?!\p{L})/u, 'time', 1_440],
  [/^weeks?(?!\p{L})/u, 'time', 10_080],
  [/^months?(?!\p{L})/u, 'month', 1],
  [/^(?:years?|yrs?)(?!\p{L})/u, 'month', 12],
  [/^decades?(?!\p{L})/u, 'month', 120],
  [/^(?:kg|kilos?|kilograms?)(?!\p{L})/u, 'mass', 1_000],
  [/^(?:g|grams?)(?!\p{L})/u, 'mass', 1],
  [/^(?:km|kilomet(?:re|er)s?)(?!\p{L})/u, 'length', 1_000_000],
  [/^(?:cm|centimet(?:re|er)s?)(?!\p{L})/u, 'length', 10],
  [/^(?:mm|millimet(?:re|er)s?)(?!\p{L})/u, 'length', 1],
  [/^(?:m|met(?:re|er)s?)(?!\p{L})/u, 'length', 1_000],
  [/^(?:litres?|liters?|l)(?!\p{L})/u, 'volume', 1_000],
  [/^(?:ml|millilit(?:re|er)s?)(?!\p{L})/u, 'volume', 1],
]

const small =
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const small1to9 = small.slice(0, 9).join('|')
const word = String.raw`(?:${tens.join('|')})(?:[- ](?:${small1to9}))?|${small.slice().reverse().join('|')}`
const scale = 'hundred|thousand|million|billion'
const before = String.raw`(?<sign>[€£$]|chf|eur|usd|gbp)? ?`
const figure = new RegExp(
  String.raw`(?<![\p{L}])${before}(?:(?<digits>\d+(?:[.,\u00a0\u202f]\d+)*)|(?<words>${word})(?![\p{L}]))(?:[ -]?(?<scale>${scale}|k|m|bn)(?![\p{L}]))?|(?<![\p{L}])(?<odd>an hour and a half|half an? (?:hour|day|year)|half[- ]year|quarter of an hour|(?<!and a )half(?! past)|a (?:third|quarter)(?! (?:part|person|time|attempt|century|finals?))|three quarters|twice|double[ds]?|triple[ds]?|(?:a )?(?:hundred|thousand|million)s?|dozens?|a decade|within an? (?:hour|day|week|month|year))(?![\p{L}])`,
  'giu',
)

export const isNumberWord = (text: string): boolean => numberWord.test(text)

const numberWord = new RegExp(`^(?:${word}|${scale}|half|twice|dozens?)$`, 'i')

export function quantitiesIn(text: string): Quantity[] {
  const found: { quantity: Quantity; end: number; start: number }[] = []
  for (const match of text.matchAll(figure)) {
    const { digits, words, scale: factor, sign, odd } = match.groups ?? {}
    const end = match.index + match[0].length
    const rest = text.slice(end, end + 40).toLowerCase()
    const leading = text.slice(Math.max(0, match.index - 80), match.index).toLowerCase()
    const unit = unitBehind(sign?.toLowerCase() ?? rest.replace(/^[\s\u00a0\u202f-]{1,2}/, ''))
    const hedge = hedgeOf(leading)
    if (odd !== undefined) {
      const known = oddOnes(odd.toLowerCase())
      if (known)
        found.push({
          quantity: { ...known, hedge, counts: false, isOfText: false, isId: false, headings: [], shown: odd },
          end,
          start: match.index,
        })
      continue
    }
    const plain = (digits === undefined ? wordValue(words ?? '') : numberOf(digits)) * scaleOf(factor)
    // “One” is mostly no figure; with a unit it is.
    if (plain === 1 && words !== undefined && (unit === undefined || unit[1] === 'month')) continue
    const afternoon = /^(?::\d\d)? ?(?:p\.?m\.?|in the (?:afternoon|evening))(?!\p{L})/u.test(rest) && plain < 12
    const [dimension, times] = unit ? [unit[1], unit[2]] : [undefined, 1]
    const value = afternoon ? plain + 12 : plain * times
    const counts =
      unit === undefined &&
      /^[ -](?!(?:and|but|for|from|then|than|with|now|was|were|are|has|had|until|each|per|the|this|that|when|which)\b)\p{L}{3,}/u.test(
        rest,
      )
    const isOfText = ofText.test(rest)
    const shown = text.slice(match.index, Math.min(text.length, end + (/^ ?%/.exec(rest)?.[0].length ?? 0))).trim()
    const isId = unit === undefined && idBefore.test(leading)
    const headings = unit === undefined ? lineHeadings(leading) : []
    const quantity = { value, plain, dimension, hedge, counts, isOfText, isId, headings, shown }
    found.push({ quantity, end, start: match.index })
  }
  return found.map((one, at) => shared(text, one, found[at + 1]))
}

/** “2 to 4 weeks”: the unit behind the second is that of the first. */
function shared(
  text: string,
  { quantity, end }: { quantity: Quantity; end: number },
  next: { quantity: Quantity; start: number } | undefined,
): Quantity {
  if (quantity.dimension !== undefined || next?.quantity.dimension === undefined) return quantity
  if (!/^ ?(?:to|-|–|or|and|bis)? ?$/i.test(text.slice(end, next.start)) || next.quantity.plain === 0) return quantity
  const { dimension, value, plain } = next.quantity
  return { ...quantity, dimension, value: (quantity.plain * value) / plain, counts: false }
}

export interface GivenQuantities {
  readonly quantities: readonly Quantity[]
  readonly words: ReadonlySet<string>
  readonly counts: ReadonlySet<number>
  /** Dimensions that figures without a unit may have, such as those of a table's columns. */
  readonly headings: ReadonlySet<string>
}

/** Whether somebody gave it: the same in the same unit, or nearly where the text says so. */
export function isKnownQuantity(
  one: Quantity,
  { quantities: given, words, counts, headings }: GivenQuantities,
): boolean {
  if (one.counts && (counts.has(one.plain) || (one.isOfText && one.plain < 10))) return true
  if (one.shown.toLowerCase() === 'half' && words.has('median')) return true
  return given.some(known => isSame(one, known, headings))
}

/** How many each list of a text has: “German, French and English” are three languages. */
export const countsOf = (text: string): ReadonlySet<number> =>
  new Set(
    (text.match(lists) ?? []).map(list => list.split(/, | and | or |:/).filter(part => part.trim() !== '').length),
  )

const lists =
  /(?<![\p{L}\d-])(?:[\p{L}\d-]+(?: [\p{L}\d-]+)?, ){1,9}[\p{L}\d-]+(?: [\p{L}\d-]+)?,? (?:and|or) [\p{L}\d-]+/gu

function isSame(one: Quantity, known: Quantity, headings: ReadonlySet<string>): boolean {
  if (!isSameDimension(one, known, headings)) return false
  const isPlain = one.dimension === undefined || known.dimension === undefined
  const [value, given] = isPlain ? [one.plain, known.plain] : [one.value, known.value]
  if (value === given || (isPlain && one.value === given)) return true
  return isNear(value, given, one.hedge)
}

/** A figure without a unit is backed by one that has it, but not the other way round, unless its unit stands before it. */
function isSameDimension(one: Quantity, known: Quantity, headings: ReadonlySet<string>): boolean {
  if (known.isId) return one.dimension === undefined && !one.counts
  if (one.dimension === known.dimension) return true
  if (one.dimension === undefined) return !one.counts
  return (
    known.dimension === undefined &&
    !known.counts &&
    (known.headings.includes(one.dimension) || headings.has(one.dimension))
  )
}

/** Whether a figure that is said to be rough is close enough. */
export function isNear(value: number, given: number, hedge: Quantity['hedge']): boolean {
  if (hedge === undefined || given === 0) return false
  const share = (value - given) / given
  if (hedge === 'over') return share <= 0 && share >= -0.1
  if (hedge === 'under') return share >= 0 && share <= 0.1
  return Math.abs(share) <= 0.05
}

/** An order, a room or an article is named by its number. */
const idBefore =
  /(?<!\p{L})(?:order|no\.?|nr\.?|contract|ticket|invoice|case|claim|room|gate|platform|page|article|section|version|model|id|code)(?: (?:no\.?|nr\.?|number|id):?)? ?#? ?$|#$/u

const lineHeadings = (leading: string): string[] => headingsIn(leading.slice(leading.lastIndexOf('\n') + 1))

/** Dimensions of units that stand in a text without a figure. */
export const headingsIn = (text: string): string[] =>
  [...text.toLowerCase().matchAll(unitWord)].flatMap(({ 0: unit }) => unitOf(unit)?.[1] ?? [])

const unitWord =
  /(?<![\p{L}\d]|\d[ -])(?:%|€|£|\$|percent|share|euros?|eur|pounds?|dollars?|usd|gbp|chf|seconds?|minutes?|hours?|days?|weeks?|months?|years?|kg|grams?|km|cm|mm|met(?:re|er)s?|litres?|liters?)(?![\p{L}\d])/gu

const ofText =
  /^ (?:\p{L}+ )?(?:ways?|steps?|things?|reasons?|tips?|points?|questions?|parts?|ideas?|words?|lines?|sentences?|answers?)(?!\p{L})/u

const unitOf = (text: string) => units.find(([pattern]) => pattern.test(text))

/** A word that limits the unit may stand before it: “30 calendar days”. */
const unitBehind = (text: string) =>
  unitOf(text.replace(/^(?:full|whole|more|further|extra|additional|calendar|consecutive|short|long)[ -]/, ''))

const numberOf = (digits: string): number => {
  const plain = digits.replaceAll(/[,\u00a0\u202f](?=\d{3}(?!\d))/g, '').replace(/,(?=\d+$)/, '.')
  return Number(plain) || Number.parseFloat(plain) || 0
}

const scaleOf = (factor: string | undefined): number =>
  ({ hundred: 100, thousand: 1e3, k: 1e3, million: 1e6, m: 1e6, billion: 1e9, bn: 1e9 })[factor?.toLowerCase() ?? ''] ??
  1

function wordValue(words: string): number {
  return words
    .toLowerCase()
    .split(/[- ]/)
    .reduce((sum, part) => sum + (small.indexOf(part) + 1 || (tens.indexOf(part) + 2) * 10), 0)
}

function oddOnes(text: string): Pick<Quantity, 'value' | 'plain' | 'dimension'> | undefined {
  const of = (dimension: string | undefined, value: number, plain = value) => ({ dimension, value, plain })
  if (text.startsWith('within')) return unitQuantity(text.split(' ').at(-1) ?? '')
  if (text.startsWith('half a'))
    return text.endsWith('year') ? of('month', 6) : of('time', text.endsWith('hour') ? 30 : 720, 0.5)
  if (text === 'an hour and a half') return of('time', 90, 1.5)
  if (text === 'quarter of an hour') return of('time', 15, 0.25)
  if (/^half[- ]year$/.test(text)) return of('month', 6)
  if (text === 'half') return of('share', 50)
  if (text === 'three quarters') return of('share', 75)
  if (text === 'a quarter') return of('share', 25)
  if (text === 'a third') return of('share', 100 / 3, 33)
  if (text === 'a decade') return of('month', 120, 10)
  if (text === 'twice' || text.startsWith('double')) return of('times', 2)
  if (text.startsWith('triple')) return of('times', 3)
  if (text.startsWith('dozen')) return of(undefined, 12)
  return of(undefined, scaleOf(text.replace(/^a /, '').replace(/s$/, '')))
}

function unitQuantity(name: string) {
  const unit = unitOf(name)
  return unit && { dimension: unit[1], value: unit[2], plain: 1 }
}

function hedgeOf(leading: string): Quantity['hedge'] {
  const found =
    /(?:(about|around|roughly|nearly|almost|approximately|some|circa|close to|just|well|~) ?)?(over|more than|at least|above|under|less than|fewer than|below)? ?(?:the )?$/.exec(
      leading,
    )
  if (found?.[2]) return /over|more|least|above/.test(found[2]) ? 'over' : 'under'
  return found?.[1] && found[1] !== 'just' && found[1] !== 'well' ? 'near' : undefined
}
