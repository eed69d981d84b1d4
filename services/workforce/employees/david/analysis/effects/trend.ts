/** A column of numbers that rises or falls with time. */
import { identifier, timeLiteral } from '../../table/database.ts'
import { type Axis, effective, type Ranked } from '../sample.ts'
import { probabilityOf } from '../statistics/distributions.ts'
import { correlate, persistence, ranksOf } from '../statistics/ranks.ts'
import { type Effect, proved, rankBy, said } from './effect.ts'
import { columnSaid } from './groups.ts'
import { chartInTime } from './spans.ts'

/** Of the means of each moment, so that many rows of one day count once; undefined for fewer than ten moments. */
export function trend({ column, ranks }: Ranked, axis: Axis): Effect | undefined {
  const [moments, means] = meansOf(ranks, axis)
  if (means.length < 10) return undefined
  const [when, what] = [ranksOf(moments), ranksOf(means)]
  const { r } = correlate(when, what)
  // How like each moment is the one before it apart from the trend: a wandering series has none.
  const rest = what.map((rank, i) => rank - r * (when[i] ?? 0))
  const [first = 0, last = 0] = [moments[0], moments.at(-1)]
  return {
    kind: 'trend',
    columns: [column.name, axis.column.name],
    p: probabilityOf(r, effective(what.length, persistenceBehind(persistence(rest), rest.length))),
    strength: Math.abs(r),
    measure: "Spearman's rank correlation with time",
    test: "Spearman's rank correlation with time, Student's t with the rows that independent ones would be",
    tell: async ask => {
      const [x, t] = [identifier(column.name), identifier(axis.column.name)] as const
      const [early, late] = [first + (last - first) / 3, last - (last - first) / 3].map(at =>
        timeLiteral(Math.round(at)),
      )
      const course = { column: column.name, time: axis.column.name, first, last }
      const query = (measure: string) =>
        `SELECT late - early AS change, * FROM (SELECT ${measure}(${x}) FILTER (WHERE ${t} >= ${late}) AS late, ${measure}(${x}) FILTER (WHERE ${t} <= ${early}) AS early FROM data)`
      const head = `${columnSaid(column.name)} ${r > 0 ? 'rises' : 'falls'} with ${columnSaid(axis.column.name)}`
      // What is tested is the whole course: its ends may say something else.
      for (const [name, measure] of [
        ['median', 'median'],
        ['mean', 'avg'],
      ] as const) {
        const { of, sql, values } = await proved(ask, query(measure))
        if (Math.sign(of('change')) !== Math.sign(r)) continue
        const ends = `${name} ${said(of('early'))} in the first third of the time, ${said(of('late'))} in the last`
        const marks = `; dashed: ${name}s of the first and last third`
        return { statement: `${head}: ${ends}.`, sql, values, chart: () => chartInTime(ask, course, marks) }
      }
      const { of, sql, values } = await proved(ask, inOrder(x, t))
      return {
        statement: `${head}: rank correlation ${said(of('correlation'))} in ${said(of('moments'))} moments.`,
        sql,
        values,
        chart: () => chartInTime(ask, course),
      }
    },
  }
}

/** What is left of a line that was drawn through so few moments looks less persistent than it is (Marriott and Pope 1954). */
const persistenceBehind = (seen: number, n: number) => (seen === 0 ? 0 : Math.min(0.99, (n * seen + 2) / (n - 4)))

/** The correlation that is tested, of the means of each moment. */
const inOrder = (x: string, t: string) =>
  `SELECT corr(a, b) AS correlation, count(*) AS moments FROM (SELECT ${rankBy('moment')} AS a, ${rankBy('level')} AS b FROM (SELECT moment, avg(place) AS level FROM (SELECT ${t} AS moment, ${rankBy(x)} AS place FROM data WHERE ${x} IS NOT NULL) WHERE moment IS NOT NULL GROUP BY moment))`

function meansOf(ranks: Float64Array, { column, order }: Axis): readonly [Float64Array, Float64Array] {
  const [moments, means]: [number[], number[]] = [[], []]
  let [count, sum, now] = [0, 0, Number.NaN]
  const close = () => {
    if (count === 0) return
    moments.push(now)
    means.push(sum / count)
  }
  for (const row of order) {
    const [rank, at] = [ranks[row] ?? Number.NaN, column.values[row] ?? 0]
    if (Number.isNaN(rank)) continue
    if (at !== now) {
      close()
      ;[count, sum, now] = [0, 0, at]
    }
    count++
    sum += rank
  }
  close()
  return [Float64Array.from(moments), Float64Array.from(means)]
}
