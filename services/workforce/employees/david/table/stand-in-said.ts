/** What is said of a number or a day that may stand for a missing value: `-999`, `99999`, `9999-12-31`, `1900-01-01`. */
import { shown } from './foreign-text.ts'

/** `values` are numbers, or milliseconds since 1970; not a number where one is missing. Takes linear time. */
export function standInSaid(name: string, type: 'number' | 'time', values: ArrayLike<number>): readonly string[] {
  const ends = endsOf(values)
  const isStandIn = type === 'number' ? isStandInNumber : isStandInDay
  return (['low', 'high'] as const).flatMap(side => {
    const value = ends[side].value
    if (!isStandIn(ends, side) || (side === 'high' && value < 9_999 && arePrices(values, value))) return []
    const row = Array.prototype.indexOf.call(values, value) + 1
    const text = type === 'number' ? String(value) : dayOf(value)
    const { count } = ends[side]
    const rows = count === 1 ? `row ${row}` : `${count} rows, the first is row ${row}`
    return [
      `${shown(name)} has ${text} in ${rows}: far from its other values, and read like them. Leave such cells empty if it stands for a missing value.`,
    ]
  })
}

/** Whether at least half of the values below the highest end in a nine. */
function arePrices(values: ArrayLike<number>, highest: number): boolean {
  let [nines, others] = [0, 0]
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? Number.NaN
    if (value < highest && value % 10 === 9) nines++
    else if (value < highest) others++
  }
  return nines >= others
}

interface End {
  readonly value: number
  readonly count: number
  /** The value next to it; not a number where there is none. */
  readonly next: number
}

type Ends = Readonly<Record<'low' | 'high', End>> & {
  /** How many values there are, and how many of them differ, up to `SEVERAL`. */
  readonly all: number
  readonly differing: number
}

const SEVERAL = 6

function endsOf(values: ArrayLike<number>): Ends {
  const differing = new Set<number>()
  let [low, lowCount, lowNext, high, highCount, highNext] = [Infinity, 0, Infinity, -Infinity, 0, -Infinity]
  let all = 0
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? Number.NaN
    if (Number.isNaN(value)) continue
    all++
    if (differing.size < SEVERAL) differing.add(value)
    if (value < low) [lowNext, low, lowCount] = [low, value, 1]
    else if (value === low) lowCount++
    else if (value < lowNext) lowNext = value
    if (value > high) [highNext, high, highCount] = [high, value, 1]
    else if (value === high) highCount++
    else if (value > highNext) highNext = value
  }
  return {
    low: { value: low, count: lowCount, next: lowNext },
    high: { value: high, count: highCount, next: highNext },
    all,
    differing: differing.size,
  }
}

/** How far an end is from the others, and how far those are apart. The other end is not among them where it may be a stand-in too. */
function distances(ends: Ends, side: 'low' | 'high') {
  const [{ value, next }, other] = side === 'low' ? [ends.low, ends.high] : [ends.high, ends.low]
  const last = isOfNines(other.value, side === 'low' ? 'high' : 'low') ? other.next : other.value
  return { gap: Math.abs(value - next), range: Math.abs(last - next) }
}

/** Nines, below zero at the low end and above it at the high one. */
const isOfNines = (value: number, side: 'low' | 'high') =>
  side === 'low' ? /^-9+(?:\.9+)?$/.test(String(value)) : /^9{2,}(?:\.9+)?$/.test(String(value))

/** Codes of surveys, and the largest numbers of machines. */
const CODED = /^(?:7{2,}|8{2,}|9{2,}|32767|65535|2147483647|4294967295|\d+(?:\.\d+)?e\+\d+)$/

/** So much wider than all others together is a gap beside a value that is no stand-in by itself. */
const FAR = 20

function isStandInNumber(ends: Ends, side: 'low' | 'high'): boolean {
  const { value, count } = ends[side]
  const { gap, range } = distances(ends, side)
  if (!Number.isFinite(gap) || ends.all - count < 2) return false
  const isCode = CODED.test(String(value)) || (side === 'low' && value < 0 && Number.isInteger(value))
  if (isCode && isFarAway(ends, count, gap, range)) return true
  if (!isOfNines(value, side)) return false
  // Nobody measures this where all others are above zero; -99 may be an amount where others are as far apart.
  if (side === 'low' && ends.low.next >= 0) return count > 1 || value <= -999 || (value <= -99 && gap * 1.5 >= range)
  const isRare = count > 1 || value <= -999 || value >= 99_999
  const least = value <= -999 || value >= 9_999 ? 3 : 4
  return isRare && ends.differing >= least && Math.abs(value) >= 99 && gap >= 3 * range
}

const DAY = 86_400_000
const KNOWN = new Set([
  '1900-01-01',
  '1899-12-30',
  '1970-01-01',
  '1901-01-01',
  '1800-01-01',
  '2099-12-31',
  '2100-01-01',
])

function isStandInDay(ends: Ends, side: 'low' | 'high'): boolean {
  const { value, count } = ends[side]
  const { gap, range } = distances(ends, side)
  if (!Number.isFinite(gap)) return false
  const year = new Date(value).getUTCFullYear()
  if ((year >= 2900 || year === 1) && gap > 365 * DAY) return true
  if (isFarAway(ends, count, gap, range) && gap > 3650 * DAY) return true
  if (!KNOWN.has(dayOf(value)) || gap < 366 * DAY) return false
  return count > 1 ? gap > range / 4 : ends.differing > 2 && gap > range
}

/** One value again and again, and nothing near it. */
const isFarAway = (ends: Ends, count: number, gap: number, range: number) =>
  ends.differing >= SEVERAL && count > 2 && range > 0 && gap > FAR * range

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
