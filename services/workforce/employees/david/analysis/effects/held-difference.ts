/** What is left of a difference between two groups among rows of one category, or close in time. */
import type { Axis, Ranked } from '../sample.ts'
import { ranksWithin } from '../statistics/ranks.ts'
import { isShared, type Stratum, vanElteren } from '../statistics/van-elteren.ts'
import { type Control, goesWith, isExplaining, isObvious, mostAgainst, verdictOf } from './control.ts'
import type { Differing } from './difference.ts'
import { LEAST_STRENGTH } from './effect.ts'
import { type Ends, meanOf } from './ends.ts'
import type { Groups } from './groups.ts'
import { comparedBy } from './left-of-difference.ts'
import { type Strata, strataOfGroups, strataOfTime } from './strata-of-rows.ts'

/** Of the rows of both groups, what stands beside rows of the other. */
const LEAST_COMPARED = 0.5
/** Strata within which hardly any row is of the other group are a finer way to say the group: they explain nothing. */
const LEAST_VARYING = 0.2

/** The category, or the time, that says the most against it; undefined where there is none to hold it against. */
export function controlOfDifference(
  effect: Differing,
  levels: readonly Groups[],
  axis: Axis | undefined,
  level: number,
): Control | undefined {
  const { number, groups, ends } = effect
  const pair = pairOf(number, groups, ends())
  const [whole] = strataIn(number, pair, { codes: pair.map(side => (side < 0 ? -1 : 0)), count: 1 })
  if (whole === undefined || !isShared(whole)) return undefined
  const strata = levels.flatMap(one => (one.column !== groups.column && isObvious(one) ? [strataOfGroups(one)] : []))
  const ofTime = axis && goesWith(number, axis) ? strataOfTime(axis) : undefined
  const held = [...strata, ...(ofTime ? [ofTime] : [])].flatMap(
    one => heldAgainst(effect, pair, one, whole, level) ?? [],
  )
  const { difference } = vanElteren([whole])
  const most = held.find(one => one === mostAgainst(held, Math.sign(difference)))
  return most && { ...most, ...comparedBy({ number, ends: ends(), pair, difference }, most, most.strata) }
}

interface Held extends Control {
  readonly strata: Strata
}

/** 1 for each row of the high group, 0 of the low one, -1 for others and where the number is missing. */
function pairOf({ ranks }: Ranked, { codes }: Groups, { high, low }: Ends): Int32Array {
  const [above, below] = [new Set(high.places), new Set(low.places)]
  return codes.map((code, row) => (Number.isNaN(ranks[row]) ? -1 : above.has(code) ? 1 : below.has(code) ? 0 : -1))
}

/** The places of the numbers of both groups in each stratum; `pair` is as above. */
export function strataIn(
  { ranks, order }: Pick<Ranked, 'ranks' | 'order'>,
  pair: Int32Array,
  { codes, count }: Pick<Strata, 'codes' | 'count'>,
) {
  const both = codes.map((code, row) => ((pair[row] ?? -1) < 0 ? -1 : code))
  const strata = Array.from({ length: count }, (): Stratum => ({ there: 0, rows: 0, ranks: 0, squares: 0 }))
  ranksWithin(ranks, order, both, count).forEach((rank, row) => {
    const stratum = strata[both[row] ?? -1]
    if (stratum === undefined) return
    stratum.rows++
    stratum.squares += rank * rank
    if (pair[row] !== 1) return
    stratum.there++
    stratum.ranks += rank
  })
  return strata
}

function heldAgainst(
  effect: Differing,
  pair: Int32Array,
  strata: Strata,
  whole: Stratum,
  level: number,
): Held | undefined {
  const { number } = effect
  const all = strataIn(number, pair, strata).filter(({ rows }) => rows > 0)
  const shared = all.filter(isShared)
  const rows = shared.reduce((sum, one) => sum + one.rows, 0)
  if (rows < LEAST_COMPARED * whole.rows) return undefined
  const varying = all.reduce((sum, one) => sum + variance(one), 0)
  if (varying < LEAST_VARYING * variance(whole)) return undefined
  const { difference: left, p } = vanElteren(shared)
  const verdict = verdictOf(vanElteren([whole]).difference, left, p > level)
  // What is left between other groups is a difference as well; and bands of the numbers leave nothing of any difference.
  const isLeft = isExplaining(verdict) && (isLeftOfAll(effect, strata) || isBanded(number, strata))
  if (strata.by === 'time' && verdict === 'holds') return undefined
  return {
    strata,
    column: strata.column,
    by: strata.by,
    verdict: isLeft ? 'holds' : verdict,
    left,
    name: strata.by === 'groups' ? 'within_groups' : 'apart_from_time',
    sql: '',
  }
}

const variance = ({ there, rows }: Stratum) => (there * (rows - there)) / rows

/** Whether among rows of one stratum the groups still differ by half, all of them. */
function isLeftOfAll({ number, groups, strength, rows }: Differing, { codes, count }: Strata): boolean {
  if (groups.groups.length === 2) return false
  const known = codes.map((code, row) => ((groups.codes[row] ?? -1) < 0 || Number.isNaN(number.ranks[row]) ? -1 : code))
  const sizes = new Uint32Array(count)
  for (const code of known) if (code >= 0) sizes[code] = (sizes[code] ?? 0) + 1
  const within = Array.from(groups.groups, () => ({ count: 0, ranks: 0 }))
  let squares = 0
  ranksWithin(number.ranks, number.order, known, count).forEach((rank, row) => {
    const [stratum, group] = [known[row] ?? -1, within[groups.codes[row] ?? -1]]
    if (stratum < 0 || group === undefined) return
    // From the middle of the stratum, as a share of its rows.
    const place = (rank - ((sizes[stratum] ?? 0) + 1) / 2) / (sizes[stratum] ?? 1)
    group.count++
    group.ranks += place
    squares += place * place
  })
  const n = within.reduce((sum, one) => sum + one.count, 0)
  const between = within.reduce((sum, one) => sum + (one.count > 0 ? one.ranks ** 2 / one.count : 0), 0)
  const k = within.filter(one => one.count > 0).length
  const statistic = ((Math.min(n, rows) - 1) * between) / Math.max(squares, Number.MIN_VALUE)
  const left = Math.sqrt(Math.max(0, (statistic - k + 1) / Math.max(1, n - k)))
  return left >= LEAST_STRENGTH && left >= strength / 2
}

/**
 * Whether the strata are bands of the numbers: each has its own span, and the next one begins where it ends, as near as two values of
 * one band are.
 */
function isBanded({ column, order }: Ranked, { codes }: Strata): boolean {
  let [last, before, value] = [-1, Number.NaN, Number.NaN]
  const seen = new Set<number>()
  const [steps, borders]: [number[], number[]] = [[], []]
  for (const row of order) {
    const code = codes[row] ?? -1
    if (code < 0) continue
    before = value
    value = column.values[row] ?? 0
    if (code === last) {
      if (value > before) steps.push(value - before)
      continue
    }
    if (seen.has(code)) return false
    if (last >= 0) borders.push(value - before)
    seen.add(code)
    last = code
  }
  return borders.length > 0 && (steps.length === 0 || meanOf(borders) <= WIDE * meanOf(steps))
}

/** The mean step between two bands, in mean steps between neighbours of one band. */
const WIDE = 5
