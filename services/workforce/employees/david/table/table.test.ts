/** Tables as they are sent, and what is made of their columns. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { type Brief, Refusal } from '../../src/brief.ts'
import { typed } from './columns.ts'
import { readRows } from './json.ts'
import { readTable, type TableInput } from './sources.ts'

const brief = (
  input: TableInput,
  file?: { name: string; media_type: string; bytes: Uint8Array },
): Brief<TableInput> => ({
  topic: '',
  tone: '',
  constraints: {},
  seed: 1,
  input,
  files: file ? [file] : [],
})
const file = (name: string, bytes: Uint8Array | string, media_type = 'application/octet-stream') =>
  brief({}, { name, media_type, bytes: typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes })
const refused = (asked: Brief<TableInput>, words: RegExp) =>
  assert.rejects(readTable(asked), (error: unknown) => error instanceof Refusal && words.test(error.message))

describe('a table', () => {
  it('comes as CSV, JSON, JSON Lines or rows, in the input or as a file', async () => {
    const rows = [{ a: 1, b: 'x' }, { a: 2 }]
    const [json, lines] = [JSON.stringify(rows), rows.map(row => JSON.stringify(row)).join('\n')]
    for (const one of [
      brief({ json }),
      brief({ json_lines: lines }),
      brief({ rows }),
      brief({ csv: 'a,b\n1,x\n2,\n' }),
      file('t.json', json),
      file('t', json, 'application/json'),
      file('t.jsonl', lines),
      file('t', lines, 'application/x-ndjson'),
      file('t.csv', 'a,b\n1,x\n2,\n'),
    ]) {
      const { columns } = typed(await readTable(one))
      assert.deepEqual([columns[0]?.name, columns[1]?.name], ['a', 'b'])
      assert.ok(columns[0]?.type === 'number')
      assert.deepEqual([...columns[0].values], [1, 2])
    }
  })

  it('is refused where there is none, several, or none that can be read', async () => {
    await refused(brief({}), /no table/)
    await refused(brief({ csv: 'a\n1', json: '[]' }), /once/)
    await refused(brief({ json: '{"a":1}' }), /no list/)
    await refused(brief({ json: '[1]' }), /no object/)
    await refused(brief({ json: '[{' }), /can't be read/)
    await refused(brief({ json_lines: '{"a":1}\n{"a"' }), /line 2/)
    await refused(brief({ json: '[{}]' }), /empty/)
    await refused(file('t.png', new Uint8Array([137, 80, 0, 0])), /no text/)
    await refused(
      brief({ rows: [Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`c${i}`, i]))] }),
      /1,000 columns/,
    )
    await refused(brief({ rows: [{ a: 'x'.repeat(100_001) }] }), /100,000 characters/)
  })
})

describe('a Parquet file', () => {
  let whole: Uint8Array
  let folder: string
  const codecs = ['snappy', 'gzip', 'zstd', 'brotli', 'uncompressed']
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parquet-'))
    const connection = await (await DuckDBInstance.create()).connect()
    for (const codec of codecs)
      await connection.run(
        `COPY (SELECT i AS n, i / 4 AS x, 'level ' || i % 3 AS level, DATE '2026-01-01' + i::INT AS day, CASE WHEN i % 5 = 0 THEN NULL ELSE i % 2 = 0 END AS even, [i, i] AS list FROM range(2000) t(i)) TO '${folder}/${codec}.parquet' (FORMAT parquet, COMPRESSION ${codec})`,
      )
    connection.closeSync()
    whole = readFileSync(`${folder}/snappy.parquet`)
  })
  after(() => {
    rmSync(folder, { recursive: true })
  })

  it('is read in all its compressions', async () => {
    for (const codec of codecs) {
      const { columns, rows } = typed(await readTable(file('t.parquet', readFileSync(`${folder}/${codec}.parquet`))))
      assert.equal(rows, 2000, codec)
      assert.deepEqual(
        columns.map(({ name, type }) => `${name} ${type}`),
        ['n number', 'x number', 'level category', 'day time', 'even category', 'list text'],
      )
      assert.ok(columns[1]?.type === 'number' && columns[1].values[7] === 1.75)
    }
  })

  it('has times of day as a clock shows them, and is read without its intervals, of which it tells', async () => {
    const connection = await (await DuckDBInstance.create()).connect()
    await connection.run(
      `COPY (SELECT i AS n, TIME '13:05:09' + to_minutes(i) AS at, to_days(i::INT) AS span FROM range(3) t(i)) TO '${folder}/times.parquet' (FORMAT parquet)`,
    )
    connection.closeSync()
    const { names, columns, warnings } = await readTable(file('t.parquet', readFileSync(`${folder}/times.parquet`)))
    assert.deepEqual(names, ['n', 'at'])
    assert.deepEqual(columns[1], ['13:05:09', '13:06:09', '13:07:09'])
    assert.match(warnings.join(), /"span" holds intervals/)
  })

  it('whose parts have a column twice, or one that the schema lacks, is refused', async () => {
    const place = Buffer.from(whole).lastIndexOf('even')
    assert.ok(place > 0)
    const bytes = whole.slice()
    bytes[place] = 'E'.charCodeAt(0)
    await refused(file('t.parquet', bytes), /other columns than the schema/)
  })

  it('that is cut off, encrypted or without its footer is refused in words', async () => {
    const [noFooter, otherMagic] = [Buffer.from(whole), Buffer.from(whole)]
    noFooter.writeUInt32LE(0, noFooter.length - 8)
    otherMagic.write('PARE')
    await refused(file('t.parquet', whole.slice(0, -9)), /can't be read: .*footer/)
    await refused(file('t.parquet', noFooter), /can't be read: it is cut off/)
    await refused(file('t.parquet', otherMagic), /encrypted Parquet file/)
  })

  it('that is broken anywhere is refused or read, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(255), fc.boolean(), async (place, byte, cut) => {
        const bytes = cut ? whole.slice(0, 4 + (place % whole.length)) : whole.slice()
        if (!cut) bytes[4 + (place % (whole.length - 4))] = byte
        await readTable(file('t.parquet', bytes)).catch((error: unknown) => {
          assert.ok(error instanceof Refusal, String(error))
        })
      }),
      { numRuns: 200 },
    )
  })
})

it('a cell that is nested too deeply is refused', async () => {
  let deep: object = {}
  for (let level = 0; level < 200_000; level++) deep = { deep }
  assert.throws(
    () => readRows([{ a: 1, deep }], 'input.rows'),
    (error: unknown) => error instanceof Refusal && /nested too deeply/.test(error.message),
  )
})

describe('a column', () => {
  const only = (values: readonly unknown[], times?: string) => {
    const { columns, warnings } = typed(
      readRows(
        values.map(x => ({ x })),
        'input',
      ),
      times,
    )
    assert.ok(columns[0])
    return { column: columns[0], warnings }
  }
  const type = (values: readonly unknown[]) => only(values).column.type

  it('holds numbers, times, categories or texts', () => {
    assert.equal(type([1, null, 2.5]), 'number')
    assert.equal(type(['1,5', '2', 'n/a', '']), 'number')
    assert.equal(type(['2026-01-31', '2026-02-01']), 'time')
    assert.equal(type(['31.01.2026', '01.02.2026']), 'time')
    assert.equal(type(['a', 'b', 'a', 'b']), 'category')
    assert.equal(type([true, false, true, null]), 'category')
    assert.equal(type(['one', 'two', 'three']), 'text')
  })

  it('of numbers that are names stays as it is written', () => {
    for (const values of [
      ['01067', '10115', '01067', '10115'],
      ['12345678901234567890', '12345678901234567891'],
    ])
      assert.notEqual(type(values), 'number')
  })

  it('of numbers may have one cell in a hundred that is none, of which it tells', () => {
    const { column, warnings } = only([...Array.from({ length: 150 }, (_, i) => String(i)), '12 pieces'])
    assert.equal(column.type, 'number')
    assert.match(warnings.join(), /12 pieces/)
    assert.equal(type(['1', '2', 'x']), 'text')
  })

  for (const [cells, values] of [
    [
      ['$200', '-$50', ''],
      [200, -50, Number.NaN],
    ],
    [
      ['20 €', '1.020,50 €'],
      [20, 1020.5],
    ],
    [
      ['20%', '3.5 %'],
      [20, 3.5],
    ],
    [
      ["1'200.50", '7'],
      [1200.5, 7],
    ],
    [
      ['1 200,50', '12\u00A0345,5', '7'],
      [1200.5, 12345.5, 7],
    ],
    [
      ['(200)', '150'],
      [-200, 150],
    ],
    [
      ['\u2212200', '3'],
      [-200, 3],
    ],
  ] as const)
    it(`of ${cells.join(' and ')} holds numbers, and what was read is said`, () => {
      const { column, warnings } = only(cells)
      assert.ok(column.type === 'number')
      assert.deepEqual([...column.values], values)
      assert.match(warnings.join(), /is read as numbers: /)
    })

  it('of numbers with different units, or with other text, stays text', () => {
    for (const cells of [
      ['$200', '20 €', '5'],
      ['$200', 'free'],
      ['(a)', '(b)', '(c)'],
      ['12 34', '5'],
    ])
      assert.notEqual(type(cells), 'number')
  })

  it('of numbers and one other cell says which it is', () => {
    const { column, warnings } = only([...Array.from({ length: 11 }, (_, i) => `${i}`), 'inf'])
    assert.equal(column.type, 'text')
    assert.match(warnings.join(), /"x" is taken for a text, as "inf" in row 12 is no number/)
  })

  it('is read as times where it is said to hold them', () => {
    assert.equal(only(['2024', '2025', '2026'], 'x').column.type, 'time')
    assert.equal(type(['2024', '2025', '2026']), 'number')
  })
})
