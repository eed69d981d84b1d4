/** The database in which a table lies reaches nothing outside of it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { typed } from './columns.ts'
import { identifier, literal, timeLiteral, withDatabase } from './database.ts'
import { readRows } from './json.ts'

const small = typed(
  readRows(
    [
      { x: 1, t: '2026-01-31T12:00:00Z' },
      { x: null, t: '2026-02-01T00:00:00Z' },
    ],
    'input',
  ),
)

describe('the database of a table', () => {
  for (const sql of [
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM read_text('/etc/hostname')",
    "SELECT * FROM glob('/*')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM read_parquet('https://example.com/a.parquet')",
    "COPY data TO '/tmp/stolen.csv'",
    "ATTACH '/tmp/other.db'",
    "EXPORT DATABASE '/tmp/stolen'",
    'INSTALL httpfs',
    'LOAD httpfs',
    'SET enable_external_access = true',
    'SET threads = 8',
    "SET memory_limit = '100GB'",
    'PRAGMA enable_profiling',
    'RESET memory_limit',
    'DROP TABLE data',
    'DELETE FROM data',
    'SELECT 1; SELECT 2',
  ])
    it(`refuses ${sql}`, async () => {
      await withDatabase(small, async ask => {
        await assert.rejects(ask(sql))
      })
    })

  it('has values as they were given, and none where they are missing', async () => {
    const row = await withDatabase(small, ask =>
      ask(
        `SELECT count(*) AS n, count(x) AS known, sum(x) AS sum, count(*) FILTER (WHERE t = ${timeLiteral(Date.UTC(2026, 0, 31, 12))}) AS noon FROM data`,
      ),
    )
    assert.deepEqual(row, { n: 2, known: 1, sum: 1, noon: 1 })
  })

  it('refuses a table that is larger than its memory, in words, and has room for the next', async () => {
    const text = 'x'.repeat(20_000)
    const large = { rows: 60_000, warnings: [] }
    const column = { name: 'x', type: 'text', levels: [text], codes: new Int32Array(large.rows) } as const
    const asked = withDatabase({ ...large, columns: [column] }, ask => ask('SELECT 1 AS one'))
    await assert.rejects(asked, { name: 'Refusal', message: /more than 1 GB/ })
    assert.deepEqual(await withDatabase(small, ask => ask('SELECT count(*) AS n FROM data')), { n: 2 })
  })

  it('shows a table to nobody else, and nothing of it is left for the next', async () => {
    const other = typed(readRows([{ y: 'secret' }], 'input'))
    await withDatabase(small, async ask => {
      await withDatabase(other, async inner => {
        assert.deepEqual(await inner('SELECT count(*) AS n FROM data'), { n: 1 })
        await assert.rejects(inner('SELECT x FROM data'))
      })
      assert.deepEqual(await ask('SELECT count(*) AS n FROM data'), { n: 2 })
      await assert.rejects(ask('SELECT y FROM data'))
    })
    const { tables } = await withDatabase({ columns: small.columns, rows: 0, warnings: [] }, ask =>
      ask('SELECT count(*) AS tables FROM duckdb_tables()'),
    )
    assert.equal(tables, 1)
  })

  it('takes whatever stands in names and cells for names and texts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary', maxLength: 12 }),
        fc.oneof(fc.string({ unit: 'binary' }), fc.constant(`'); DROP TABLE data; --`)),
        async (name, cell) => {
          const table = typed(readRows([{ [`${name}"; DROP TABLE data; --`]: cell }, { a: 1 }], 'input'))
          const [column] = table.columns
          assert.ok(column)
          const level = 'levels' in column ? column.levels[0] : undefined
          const sql = `SELECT count(*) AS n${level === undefined ? '' : `, count(*) FILTER (WHERE ${identifier(column.name)} = ${literal(level)}) AS same`} FROM data`
          const row = await withDatabase(table, ask => ask(sql))
          assert.deepEqual(row, { n: 2, ...(level !== undefined && { same: 1 }) })
        },
      ),
      { numRuns: 30 },
    )
  })
})
