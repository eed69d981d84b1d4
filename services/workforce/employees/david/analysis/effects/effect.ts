/** Something that could be in the data: tested, and told where it is there. */
import { type Ask, identifier } from '../../table/database.ts'
import type { Charted, EffectKind } from '../result.ts'

export interface Effect {
  readonly kind: EffectKind
  readonly columns: readonly string[]
  /** How probable what is seen would be, were nothing there; by itself, before it is known how many were tested. */
  readonly p: number
  /** How much of it there is, 0 to 1, and what that is called. */
  readonly strength: number
  readonly measure: string
  readonly test: string
  readonly tell: (ask: Ask) => Promise<Told>
}

/** What is less is real, where it is significant, but nothing that anybody would act on (Cohen 1988: small). */
export const LEAST_STRENGTH = 0.1

export interface Told {
  /** A sentence; every number in it is one of `values`. */
  readonly statement: string
  /** Gives one row: `values`. The first of them is what the finding is about. */
  readonly sql: string
  readonly values: Readonly<Record<string, number>>
  /** What its chart shows, where that is not the rows themselves. */
  readonly chart?: () => Promise<Charted>
}

/** Asks, and takes what is not there for zero. */
export async function proved(
  ask: Ask,
  sql: string,
): Promise<Pick<Told, 'sql' | 'values'> & { of: (name: string) => number }> {
  const row = await ask(sql)
  const values = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? 0]))
  return { sql, values, of: name => values[name] ?? 0 }
}

/** In a query, the place of each value in order; those that are equal share the mean of theirs: of the first and the last. */
export const rankBy = (x: string): string => `(rank() OVER (ORDER BY ${x}) + count(*) OVER (ORDER BY ${x})) / 2.0`

/** In a query, the rows that have both: the places in order, and the values. */
export function paired(...names: readonly [string, string]): string {
  const [x, y] = names.map(identifier) as [string, string]
  return `(SELECT ${rankBy(x)} AS a, ${rankBy(y)} AS b, ${x} AS c, ${y} AS d FROM data WHERE ${x} IS NOT NULL AND ${y} IS NOT NULL)`
}

/** A number in a sentence: four digits of what was measured, all of what was counted. */
export const said = (value: number): string => {
  const rounded = Number.isInteger(value) ? value : Number(value.toPrecision(4))
  const size = Math.abs(rounded)
  return size >= 1e15 || (size > 0 && size < 1e-6)
    ? rounded.toExponential()
    : rounded.toLocaleString('en-US', { maximumFractionDigits: 12 })
}
