/** All that was found of missing values, as one finding: what stands out the most, and the columns that have the most gaps. */
import { identifier } from '../../table/database.ts'
import type { Profile } from '../result.ts'
import { type Effect, proved, said } from './effect.ts'
import { columnSaid } from './groups.ts'

const MOST_NAMED = 5

/** The effects are those of missing values; undefined where there are none. */
export function gapsOf(effects: readonly Effect[], profiles: readonly Profile[]): Effect | undefined {
  const [strongest] = effects.toSorted((a, b) => b.strength - a.strength || a.p - b.p)
  if (!strongest) return undefined
  const affected = new Set(effects.flatMap(({ columns }) => columns.slice(0, 1)))
  const worst = profiles
    .filter(({ name }) => affected.has(name))
    .toSorted((a, b) => b.missing - a.missing)
    .slice(0, MOST_NAMED)
    .map(({ name }) => name)
  return {
    ...strongest,
    columns: [...new Set([...strongest.columns, ...worst])],
    tell: async ask => {
      const told = await strongest.tell(ask)
      const counts = worst.map((name, i) => `count(*) - count(${identifier(name)}) AS missing_${i + 1}`)
      const { of, sql, values } = await proved(
        ask,
        `SELECT * FROM (${told.sql}), (SELECT ${counts.join(', ')} FROM data)`,
      )
      const named = worst.map((name, i) => `${columnSaid(name)} (${said(of(`missing_${i + 1}`))} rows)`).join(', ')
      const more =
        affected.size === 1
          ? `Values are missing in ${named}.`
          : `In several columns values are missing by a pattern, most in ${named}.`
      return { ...told, statement: `${told.statement} ${more}`, sql, values }
    },
  }
}
