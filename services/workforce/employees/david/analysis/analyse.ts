/** Looks into a table: what is in its columns, and what is found in it. */
import type { Table } from '../table/columns.ts'
import { type Ask, withDatabase } from '../table/database.ts'
import { shown } from '../table/foreign-text.ts'
import { type Associated, association } from './effects/association.ts'
import { type Control, type Controlled, controlOf, isExplaining } from './effects/control.ts'
import { type Correlated, correlation } from './effects/correlation.ts'
import { type Differing, difference } from './effects/difference.ts'
import { duplicates } from './effects/duplicates.ts'
import { type Effect, LEAST_STRENGTH } from './effects/effect.ts'
import { gapsOf } from './effects/gaps.ts'
import { type Groups, groupsByLevel, groupsByMissing } from './effects/groups.ts'
import { controlOfDifference } from './effects/held-difference.ts'
import { outliers } from './effects/outliers.ts'
import { controlOfShares } from './effects/strata.ts'
import { trend } from './effects/trend.ts'
import { profile } from './profile.ts'
import {
  type Analysis,
  type EffectKind,
  type Explained,
  type Finding,
  MOST_CHARTS,
  type PairOfNumbers,
  type Profile,
} from './result.ts'
import { type Sample, sampleOf } from './sample.ts'
import { holm } from './statistics/holm.ts'

/** Of a finding even where there is nothing: about one in a hundred tables, as bar/noise.ts has them. */
export const LEVEL = 0.01
/** Of each kind, the strongest: a reader acts on few. */
const MOST_OF_KIND: Readonly<Record<EffectKind, number>> = {
  correlation: 4,
  difference: 4,
  association: 4,
  trend: 4,
  duplicates: 1,
  outliers: 3,
  missing: 1,
}
const MOST_PAIRS = 100
/** The strongest that are held against categories, and the time. */
const MOST_CONTROLLED = { correlations: 60, associations: 20, differences: 40 } as const
const MOST_EXPLAINED = 5

export interface Wanted {
  /** The column that says when. */
  readonly times?: string | undefined
  readonly level?: number | undefined
  /** How many of the strongest pairs of numbers are asked of a query; none where it is not said. */
  readonly provedPairs?: number
}

export interface Analysed {
  readonly analysis: Analysis
  readonly sample: Sample
  readonly warnings: readonly string[]
}

export async function analyse(table: Table, { times, level = LEVEL, provedPairs = 0 }: Wanted): Promise<Analysed> {
  const sample = sampleOf(table, times)
  const analysis = await withDatabase(table, async ask => {
    const columns: Profile[] = []
    for (const column of table.columns) columns.push(await profile(column, ask))
    const repeated = await duplicates(table, sample.numbers, ask)
    const found = effectsOf(sample)
    const effects: Effect[] = [
      ...(repeated.effect ? [repeated.effect] : []),
      ...found.outliers,
      ...found.trends,
      ...found.correlations,
      ...found.differences,
      ...found.associations,
    ]
    const adjusted = holm(effects.map(({ p }) => p))
    const pOf = new Map<Effect, number>(effects.map((effect, i) => [effect, adjusted[i] ?? 1]))
    const significant = effects.filter(effect => (pOf.get(effect) ?? 1) <= level)
    const isSignificant = (effect: Effect) => significant.includes(effect)
    const controls = controlsOf(
      {
        correlations: found.correlations.filter(isSignificant),
        associations: found.associations.filter(isSignificant),
        differences: found.differences.filter(isSignificant),
      },
      found.levels,
      sample,
      level,
    )
    const isStrong = ({ strength }: Effect) => strength >= LEAST_STRENGTH
    const isExplained = (effect: Effect) => isStrong(effect) && isExplaining(controls.get(effect)?.verdict)
    const strong = significant.filter(effect => isStrong(effect) && !isExplained(effect))
    const ofGaps = strong.filter(({ kind }) => kind === 'missing')
    const gaps = gapsOf(ofGaps, columns)
    const others = strong.filter(({ kind }) => kind !== 'missing')
    const told = fewOfEach(ranked([...others, ...some(gaps)]))
    const isTold = (effect: Effect) => told.includes(effect) || ofGaps.includes(effect) || isExplained(effect)
    if (gaps) pOf.set(gaps, Math.min(...ofGaps.map(effect => pOf.get(effect) ?? 1)))
    const pair = (effect: Correlated | Associated | Differing) => ({
      columns: effect.columns,
      rows: effect.rows,
      p_adjusted: pOf.get(effect) ?? 1,
    })
    const correlations: PairOfNumbers[] = []
    for (const [i, effect] of strongest(found.correlations).entries())
      correlations.push({
        ...pair(effect),
        ...(i < provedPairs ? await effect.prove(ask) : { pearson: effect.pearson(), spearman: effect.spearman }),
      })
    return {
      rows: table.rows,
      columns,
      duplicates: { rows: repeated.rows, sql: repeated.sql },
      findings: await findingsOf(told, pOf, controls, ask),
      explained: await explainedOf(
        [...found.correlations, ...found.associations, ...found.differences].filter(isExplained),
        controls,
        ask,
      ),
      correlations,
      associations: strongest(found.associations.filter(({ kind }) => kind === 'association')).map(effect => ({
        ...pair(effect),
        cramers_v: effect.cramersV,
      })),
      group_differences: strongest(found.differences.filter(({ kind }) => kind === 'difference')).map(effect => ({
        ...pair(effect),
        epsilon: effect.strength,
      })),
      tests: {
        level,
        count: effects.length,
        correction: 'Holm',
        least_strength: LEAST_STRENGTH,
        untold: significant.filter(effect => !isTold(effect)).length,
      },
    }
  })
  const warnings = [
    ...table.warnings,
    ...sample.saysTime.map(
      name => `${shown(name)} says the time that ${shown(sample.axis?.column.name ?? '')} has: it is no measure.`,
    ),
    ...(sample.left > 0
      ? [`The last ${sample.left} columns are described, not tested: there are too many pairs.`]
      : []),
    ...(table.rows < 30
      ? [
          `${table.rows === 1 ? 'One row is' : `${table.rows} rows are`} few: only strong effects can be distinguished from chance.`,
        ]
      : []),
    ...(analysis.tests.untold > 0
      ? [
          `${analysis.tests.untold === 1 ? 'One further finding is' : `${analysis.tests.untold} further findings are`} left out: of each kind the strongest are told, those on further columns first.`,
        ]
      : []),
  ]
  return { analysis, sample, warnings }
}

function effectsOf({ table, numbers, axis }: Sample) {
  const levels = table.columns.flatMap(column => groupsByLevel(column, axis) ?? [])
  const missing = table.columns.flatMap(column => groupsByMissing(column, axis) ?? [])
  const pairs = <T, R>(all: readonly T[], of: (a: T, b: T) => R | undefined): R[] =>
    all.flatMap((a, i) => all.slice(i + 1).flatMap(b => of(a, b) ?? []))
  const apart = (a: Groups, b: Groups) => (a.column === b.column ? undefined : association(a, b))
  return {
    levels,
    outliers: numbers.flatMap(outliers),
    trends: axis ? numbers.flatMap(column => trend(column, axis) ?? []) : [],
    correlations: pairs(numbers, correlation),
    differences: numbers.flatMap(number =>
      [...levels, ...missing].flatMap(groups =>
        groups.column === number.column.name ? [] : some(difference(number, groups)),
      ),
    ),
    associations: pairs([...missing, ...levels], apart),
  }
}

const some = <T>(value: T | undefined): T[] => (value === undefined ? [] : [value])

const strongest = <T extends Effect>(effects: readonly T[]): T[] =>
  effects.toSorted((a, b) => b.strength - a.strength).slice(0, MOST_PAIRS)

/** What is in the data comes first, the strongest first; then what spoils them. */
const ranked = (effects: readonly Effect[]): Effect[] =>
  effects.toSorted((a, b) => placeOf(a.kind) - placeOf(b.kind) || b.strength - a.strength || a.p - b.p)

const SPOILING: readonly EffectKind[] = ['duplicates', 'outliers', 'missing']
const placeOf = (kind: EffectKind) => SPOILING.indexOf(kind)

/** Of each kind first those that tell of a column of which no stronger one tells, then the strongest of the others. */
function fewOfEach(effects: readonly Effect[]): Effect[] {
  const chosen = new Set<Effect>()
  for (const [kind, those] of Map.groupBy(effects, ({ kind: of }) => of)) {
    const seen = new Set<string>()
    const isNew = ({ columns }: Effect) => {
      const before = seen.size
      for (const name of columns) seen.add(name)
      return seen.size > before
    }
    for (const effect of [...new Set([...those.filter(isNew), ...those])].slice(0, MOST_OF_KIND[kind]))
      chosen.add(effect)
  }
  return effects.filter(effect => chosen.has(effect))
}

interface Controllable {
  readonly correlations: readonly Correlated[]
  readonly associations: readonly Associated[]
  readonly differences: readonly Differing[]
}

/** Of the strongest; what is weaker is told without. */
function controlsOf(
  { correlations, associations, differences }: Controllable,
  levels: readonly Groups[],
  { axis }: Sample,
  level: number,
): ReadonlyMap<Effect, Control> {
  const held = <T extends Effect>(effects: readonly T[], most: number, of: (effect: T) => Control | undefined) =>
    effects
      .filter(({ kind }) => kind !== 'missing')
      .toSorted((a, b) => b.strength - a.strength)
      .slice(0, most)
      .flatMap((effect): [Effect, Control][] => {
        const control = of(effect)
        return control ? [[effect, control]] : []
      })
  return new Map([
    ...held(correlations, MOST_CONTROLLED.correlations, effect => controlOf(effect, levels, axis, level)),
    ...held(associations, MOST_CONTROLLED.associations, ({ cell }) => cell && controlOfShares(cell, levels, level)),
    ...held(differences, MOST_CONTROLLED.differences, effect => controlOfDifference(effect, levels, axis, level)),
  ])
}

async function explainedOf(
  effects: readonly Controlled[],
  controls: ReadonlyMap<Effect, Control>,
  ask: Ask,
): Promise<Explained[]> {
  const explained: Explained[] = []
  for (const effect of effects.toSorted((a, b) => b.strength - a.strength).slice(0, MOST_EXPLAINED)) {
    const control = controls.get(effect)
    if (!control) continue
    const { statement, sql, values } = await effect.under(control).tell(ask)
    explained.push({ columns: effect.columns, by: control.column, statement, sql, values })
  }
  return explained
}

const isControlled = (effect: Effect): effect is Controlled => 'under' in effect

async function findingsOf(
  effects: readonly Effect[],
  pOf: ReadonlyMap<Effect, number>,
  controls: ReadonlyMap<Effect, Control>,
  ask: Ask,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const found of effects) {
    const control = controls.get(found)
    const effect = control && isControlled(found) ? found.under(control) : found
    const { statement, sql, values, chart } = await effect.tell(ask)
    findings.push({
      id: `${effect.kind}-${findings.length + 1}`,
      kind: effect.kind,
      columns: effect.columns,
      statement,
      sql,
      value: Object.values(values)[0] ?? 0,
      values,
      strength: { measure: effect.measure, value: effect.strength },
      test: { name: effect.test, p: effect.p, p_adjusted: pOf.get(found) ?? 1 },
      ...(chart && findings.length < MOST_CHARTS && { chart: await chart() }),
    })
  }
  return findings
}
