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
    const wrong: T[] = []
    for (const claim of claims) {
      const row = await ask(claim.sql).catch(() => ({}) as Readonly<Record<string, number | null>>)
      if (!Object.entries(claim.values).every(([name, value]) => (row[name] ?? 0) === value)) wrong.push(claim)
    }
    return wrong
  })
