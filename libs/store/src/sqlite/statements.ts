import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Prepares each SQL text once. Rows come back as arrays, which costs half of what objects do. */
export type Prepare = (sql: string) => StatementSync

export function preparedOnce(db: DatabaseSync): Prepare {
  const prepared = new Map<string, StatementSync>()
  return sql => {
    let statement = prepared.get(sql)
    if (statement === undefined) {
      statement = db.prepare(sql)
      statement.setReturnArrays(true)
      prepared.set(sql, statement)
    }
    return statement
  }
}

/** A name as an SQL identifier. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A string as an SQL literal. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
