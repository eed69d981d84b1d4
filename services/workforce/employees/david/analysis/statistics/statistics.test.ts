/** Statistics are those of R and scipy; the figures are recorded by reference.R and reference-strata.R, on data that come with R, and reference.py. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { typed } from '../../table/columns.ts'
import { readRows } from '../../table/json.ts'
import { chiSquared } from '../effects/association.ts'
import { correlation } from '../effects/correlation.ts'
import { strataIn } from '../effects/held-difference.ts'
import { sampleOf } from '../sample.ts'
import { chiSquaredUpper, poissonUpper, studentTwoSided } from './distributions.ts'
import { fisherTwoSided } from './fisher.ts'
import { holm } from './holm.ts'
import { stratified } from './mantel-haenszel.ts'
import { correlate, orderOf, ranksOf } from './ranks.ts'
import { gapProbabilities } from './tail.ts'
import { isShared, vanElteren } from './van-elteren.ts'

const read = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))
const r = read('r.json')
const scipy = read('spearman.json')

function near(value: number, expected: number, of: string) {
  assert.ok(Math.abs(value - expected) <= 1e-10 * Math.max(expected, 1e-300), `${of}: ${value} for ${expected}`)
}

describe('statistics are those of R', () => {
  it('shares within several tables, of which the total turns round', () => {
    const { tables, difference, p } = r.mantelHaenszel
    const shares = tables.map(([there, elsewhere, whatThere, whatElsewhere]: [number, number, number, number]) => ({
      there,
      elsewhere,
      whatThere,
      whatElsewhere,
    }))
    const made = stratified(shares)
    near(-made.difference, -difference, 'difference')
    near(made.p, p, 'p')
  })

  for (const { name, values, there, strata, difference, p } of read('van-elteren.json'))
    it(`numbers of two groups within strata: ${name}`, () => {
      const [ranks, codes] = [ranksOf(Float64Array.from(values)), Int32Array.from(strata)]
      const made = vanElteren(
        strataIn({ ranks, order: orderOf(ranks) }, Int32Array.from(there), {
          codes,
          count: Math.max(...codes) + 1,
        }).filter(isShared),
      )
      assert.ok(Math.abs(made.difference - difference) < 1e-12, `${made.difference} for ${difference}`)
      // coin takes it as 1 minus the rest.
      assert.ok(Math.abs(made.p - p) < 1e-9 * p, `${made.p} for ${p}`)
    })

  for (const [name, distribution] of Object.entries({
    student: studentTwoSided,
    chiSquared: chiSquaredUpper,
    poisson: poissonUpper,
  }))
    it(`${name}, also far out`, () => {
      for (const [a, b, p] of r[name]) near(distribution(a, b), p, `${a}, ${b}`)
    })

  it("Fisher's exact test", () => {
    for (const [first, second, p] of r.fisher) near(fisherTwoSided([first, second]), p, `${first} ${second}`)
  })

  it("Holm's correction", () => {
    assert.deepEqual(
      holm(r.holm.given).map(p => Number(p.toFixed(12))),
      r.holm.adjusted,
    )
  })

  it('rank and product-moment correlation, with values missing', () => {
    const column = (values: (number | null)[]) => Float64Array.from(values, value => value ?? Number.NaN)
    const [ozone, temp] = [column(r.spearman.ozone), column(r.spearman.temp)]
    near(correlate(ozone, temp).r, r.spearman.pearson, 'Pearson')
    const known = [...ozone.keys()].filter(row => !Number.isNaN(ozone[row]))
    const pick = (values: Float64Array) => ranksOf(Float64Array.from(known, row => values[row] ?? 0))
    near(correlate(pick(ozone), pick(temp)).r, r.spearman.rho, 'Spearman')
  })

  it('rank correlation of each pair of columns with gaps, as scipy has it', () => {
    const names = Object.keys(scipy.columns)
    const rows = scipy.columns.a.map((_: unknown, row: number) =>
      Object.fromEntries(names.map(name => [name, scipy.columns[name][row]])),
    )
    const { numbers } = sampleOf(typed(readRows(rows, 'rows')), undefined)
    const of = (name: string) => numbers.find(({ column }) => column.name === name)
    assert.equal(scipy.pairs.length, 10)
    for (const { columns, rho, p, rows: both } of scipy.pairs) {
      const [a, b] = [of(columns[0]), of(columns[1])]
      const found = a && b && correlation(a, b)
      assert.equal(found?.rows, both)
      assert.ok(Math.abs((found?.spearman ?? 9) - rho) < 1e-12, `${columns}: ${found?.spearman} for ${rho}`)
      assert.ok(Math.abs((found?.p ?? 9) - p) < 1e-10, `${columns}: ${found?.p} for ${p}`)
    }
  })

  it('chi-squared of a table', () => {
    const { statistic, n } = chiSquared(r.chiSquaredTest.table)
    near(statistic, r.chiSquaredTest.statistic, 'statistic')
    near(chiSquaredUpper(statistic, 9), r.chiSquaredTest.p, 'p')
    near(Math.sqrt(statistic / n / 3), r.chiSquaredTest.v, "Cramér's V")
  })

  it('Kruskal and Wallis, as the share of the variance of ranks between groups', () => {
    const ranks = ranksOf(Float64Array.from(r.kruskal.weight))
    const mean = (ranks.length + 1) / 2
    const groups = Map.groupBy(ranks.keys(), row => r.kruskal.feed[row])
    const total = ranks.reduce((sum, rank) => sum + (rank - mean) ** 2, 0)
    const between = [...groups.values()].reduce((sum, rows) => {
      const groupMean = rows.reduce((part, row) => part + (ranks[row] ?? 0), 0) / rows.length
      return sum + rows.length * (groupMean - mean) ** 2
    }, 0)
    near(((ranks.length - 1) * between) / total, r.kruskal.statistic, 'H')
    near(chiSquaredUpper(r.kruskal.statistic, groups.size - 1), r.kruskal.p, 'p')
  })
})

describe('the tail of a column', () => {
  const quantiles = (quantile: (p: number) => number) =>
    Float64Array.from({ length: 101 }, (_, i) => quantile((i + 0.7) / 500))

  it('reaches as far as its own law has it, light or heavy', () => {
    for (const quantile of [(p: number) => -Math.log(p), (p: number) => p ** -1, (p: number) => -p]) {
      const probabilities = gapProbabilities(quantiles(quantile), 100, 10)
      assert.ok(probabilities?.every(p => p > 0.01))
    }
  })

  it('does not reach a value that is far outside of a light one', () => {
    const tail = quantiles(p => -Math.log(p))
    tail[0] = 50_000
    assert.ok((gapProbabilities(tail, 100, 10)?.[0] ?? 1) < 1e-6)
  })

  it('says nothing where all values are the same', () => {
    assert.equal(gapProbabilities(new Float64Array(101).fill(3), 100, 10), undefined)
  })
})
