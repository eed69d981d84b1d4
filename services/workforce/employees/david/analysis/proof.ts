/** Whether what is told of a table is what its queries give. */
import type { Table } from '../table/columns.ts'
import { withDatabase } from '../table/database.ts'

/** Numbers beside the query that gives them, by the names that it has for them. */
export interface Claim {
  readonly sql: string
  readonly values: Readonly<Record<string, number>>
}

/** The claims whose query, run again on the table, gives other numbers. */
export const unproved = <T extends Claim>(table: Table, claims: readonly T[]): Promise<T[]> =>
  withDatabase(table, async ask => {
    const wrong = new Set<T>()
    for (const [sql, those] of Map.groupBy(claims, claim => claim.sql)) {
      const row = await ask(sql).catch(() => undefined)
      // A query that gives no number, as of a mean of nothing, is told as 0; one that knows nothing of it proves nothing.
      const gives = ([name, value]: [string, number]) =>
        row !== undefined && Object.hasOwn(row, name) && (row[name] ?? 0) === value
      for (const claim of those) if (!Object.entries(claim.values).every(gives)) wrong.add(claim)
    }
    return [...wrong]
  })
