/** A table in a database of its own, in memory, that can reach neither files nor the network. docs/decisions/data.md */
import {
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBTimestampValue,
  type DuckDBType,
  type DuckDBValue,
  TIMESTAMP,
  VARCHAR,
} from '@duckdb/node-api'
import { Refusal } from '../../src/brief.ts'
import type { Column, Table } from './columns.ts'

/** Asks one row of numbers; null where there is none. The names are those of the query. */
export type Ask = (sql: string) => Promise<Readonly<Record<string, number | null>>>

/** How many rows DuckDB takes at once. */
const CHUNK = 2048

/** What nobody can change any more once the table is in. */
const CONFIGURATION = {
  allow_community_extensions: 'false',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  // One thread adds in one order: the same table gives the same sums.
  threads: '1',
  memory_limit: '1GB',
  temp_directory: '',
  // Last: it forbids to say where to put what does not fit.
  enable_external_access: 'false',
  lock_configuration: 'true',
}

/** The table is called `data`; its columns have their names. */
export async function withDatabase<T>(table: Table, use: (ask: Ask) => Promise<T>): Promise<T> {
  const connection = await (await database()).connect()
  try {
    await fill(connection, table)
    return await use(sql => askRow(connection, sql))
  } catch (cause) {
    await abandon()
    if (!(cause instanceof Error && /out of memory|could not allocate/i.test(cause.message))) throw cause
    throw new Refusal('input', 'The table takes more than 1 GB of memory. Send fewer columns, or a sample of the rows.')
  } finally {
    connection.closeSync()
  }
}

/** One for all tables, as it takes 20 ms to make and to close: it is empty, a table is its connection's own. */
let made: Promise<DuckDBInstance> | undefined
function database(): Promise<DuckDBInstance> {
  made ??= DuckDBInstance.create(':memory:', CONFIGURATION)
  return made
}

/** What failed may still hold memory, so the next table has another. */
async function abandon(): Promise<void> {
  const instance = made
  made = undefined
  await instance?.then(one => one.closeSync())
}

/** A name in a query: whatever stands in it, it is a name. */
export const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`

/** A text in a query. */
export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

/** A time in a query. */
export const timeLiteral = (at: number) =>
  `TIMESTAMP '${new Date(at).toISOString().replace('T', ' ').replace('Z', '')}'`

const typeOf: Readonly<Record<Column['type'], { readonly name: string; readonly type: DuckDBType }>> = {
  number: { name: 'DOUBLE', type: DOUBLE },
  time: { name: 'TIMESTAMP', type: TIMESTAMP },
  category: { name: 'VARCHAR', type: VARCHAR },
  text: { name: 'VARCHAR', type: VARCHAR },
}

async function fill(connection: DuckDBConnection, { columns, rows }: Table): Promise<void> {
  const types = columns.map(({ type }) => typeOf[type])
  const declared = columns.map(({ name }, i) => `${identifier(name)} ${types[i]?.name}`)
  // It goes with its connection, and no other connection sees it.
  await connection.run(`CREATE TEMP TABLE data (${declared.join(', ')})`)
  const appender = await connection.createAppender('data')
  for (let from = 0; from < rows; from += CHUNK) {
    const length = Math.min(CHUNK, rows - from)
    const chunk = DuckDBDataChunk.create(
      types.map(({ type }) => type),
      length,
    )
    columns.forEach((column, i) => {
      chunk.setColumnValues(i, valuesOf(column, from, from + length))
    })
    appender.appendDataChunk(chunk)
  }
  appender.closeSync()
}

function valuesOf(column: Column, from: number, to: number): DuckDBValue[] {
  switch (column.type) {
    case 'number':
      return Array.from(column.values.subarray(from, to), value => (Number.isNaN(value) ? null : value))
    case 'time':
      return Array.from(column.values.subarray(from, to), value =>
        Number.isNaN(value) ? null : new DuckDBTimestampValue(BigInt(value) * 1000n),
      )
    case 'category':
    case 'text':
      return Array.from(column.codes.subarray(from, to), code => column.levels[code] ?? null)
  }
}

/** One question: nothing that would change the table or the database. One statement that begins so is a SELECT. */
async function askRow(connection: DuckDBConnection, sql: string) {
  const { count } = await connection.extractStatements(sql)
  if (count !== 1 || !/^SELECT\s/.test(sql)) throw new Error('A query is one SELECT.')
  const reader = await connection.runAndReadAll(sql)
  const [row = []] = reader.getRows()
  return Object.fromEntries(reader.columnNames().map((name, i) => [name, numberOf(row[i])]))
}

/** Counts come as integers of 64 or 128 bits. */
function numberOf(value: DuckDBValue | undefined): number | null {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  return null
}
