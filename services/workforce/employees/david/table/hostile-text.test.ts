/** Texts that are made to take long, to hide something, or that other programs wrote: read as they are meant, or refused in words. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Brief, Refusal } from '../../src/brief.ts'
import { type Table, typed } from './columns.ts'
import { readTable, type TableInput } from './sources.ts'

type Given = TableInput & { readonly file?: string | Buffer; readonly name?: string }

async function read({ file, name = 'table.csv', ...input }: Given): Promise<Table> {
  const bytes = typeof file === 'string' ? Buffer.from(file) : file
  const files = bytes ? [{ name, media_type: 'application/octet-stream', bytes }] : []
  const brief: Brief<TableInput> = { topic: '', tone: '', constraints: {}, seed: 1, input, files }
  return typed(await readTable(brief))
}

const names = ({ columns }: Table) => columns.map(({ name }) => name)
const text = 'a,b\n1,Käse\n2,é\n'
const utf16 = (what: string) => Buffer.from(`\uFEFF${what}`, 'utf16le')

describe('a text is read', () => {
  for (const [what, given] of [
    ['in UTF-16, as spreadsheets save it', { file: utf16(text) }],
    ['in UTF-16 with the high byte first', { file: utf16(text).swap16() }],
    ['in UTF-8 with a mark', { file: `\uFEFF${text}` }],
    ['in the letters of Windows', { file: Buffer.from(text, 'latin1') }],
    ['with lines that end in each way', { file: 'a,b\r1,Käse\r\n2,é\n\r' }],
    ['of JSON with a mark', { json: '\uFEFF[{"a":1,"b":"Käse"},{"a":2,"b":"é"}]' }],
    ['of JSON in UTF-16', { file: utf16('[{"a":1,"b":"Käse"},{"a":2,"b":"é"}]'), name: 'a.json' }],
    ['with millions of empty lines', { csv: `${text}${'\r\n'.repeat(5_000_000)}` }],
    ['with a million rows of nothing below it', { csv: `${text}${',\r\n'.repeat(1_000_000)}` }],
  ] as const)
    it(what, async () => {
      const { columns, rows } = await read(given)
      assert.equal(rows, 2)
      const [a, b] = columns
      assert.deepEqual(a?.type === 'number' && [...a.values], [1, 2])
      assert.deepEqual(b && 'levels' in b && b.levels, ['Käse', 'é'])
    })
})

describe('a text is refused, in words that help', () => {
  for (const [what, given, words] of [
    ['of rows of nothing', { csv: `a,b\n1,2${',\r'.repeat(2_000_001)}` }, /more than 1,000,000 rows/],
    ['in UTF-16 that does not say so', { file: Buffer.from(text, 'utf16le') }, /"table.csv" is no text.*CSV in UTF-8/],
    ['with NULs', { file: 'a,b\n1\0,2\n' }, /is no text/],
    ['of JSON that is cut off', { json_lines: '{"a":1}\n{"a":2\n{"a":3}' }, /line 2/],
    ['of JSON that is deep and no table', { json: `${'['.repeat(1e5)}${']'.repeat(1e5)}` }, /Row 1 is no object/],
    ['of a million names in one row', { json: `[{${Array.from({ length: 1e6 }, (_, i) => `"${i}":1`)}}]` }, /columns/],
    ['of NDJSON that is a list', { json_lines: '{"a":1}\n[1]' }, /Row 2 is no object/],
  ] as const)
    it(what, () =>
      assert.rejects(read(given), (error: unknown) => error instanceof Refusal && words.test(error.message)),
    )
})

describe('names of columns', () => {
  const long = 'x'.repeat(99)

  it('that no page shows are told apart by their place', async () => {
    assert.deepEqual(names(await read({ csv: '\u200B,\u202E,\uFEFF,"",\u0007\n1,2,3,4,5\n' })), [
      'column 1',
      'column 2',
      'column 3',
      'column 4',
      'column 5',
    ])
  })

  it('lose what turns their direction or hides in them', async () => {
    assert.deepEqual(names(await read({ rows: [{ 'a\u202Efdp.exe\u200Bb\n=c': 1 }] })), ['a fdp.exe b =c'])
  })

  it('of 10,000 signs are cut between signs, and stay different', async () => {
    const rows = [{ [`${long}😀`]: 1, [`${long}\u{20000}`]: 2, [`${long}😀${long}`]: 3 }]
    const cut = names(await read({ rows }))
    assert.deepEqual(cut, [`${long}😀`, `${long}\u{20000}`, `${long}😀 (2)`])
    for (const name of cut) assert.ok(name.isWellFormed())
    assert.equal(names(await read({ csv: `${'n'.repeat(10_000)}\n1\n` }))[0], 'n'.repeat(100))
  })

  it('that objects have of their own are names', async () => {
    const json = '[{"__proto__":1,"constructor":2,"toString":3,"hasOwnProperty":4}]'
    const table = await read({ json })
    assert.deepEqual(names(table), ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
    assert.deepEqual(
      table.columns.map(column => column.type === 'number' && column.values[0]),
      [1, 2, 3, 4],
    )
    assert.equal(Reflect.get({}, 'toString'), Object.prototype.toString)
  })
})

it('letters that are guessed to be those of Windows are said to be', async () => {
  const warned = async (file: Buffer) => (await read({ file })).warnings
  assert.match((await warned(Buffer.from(text, 'latin1'))).join(), /"table.csv" is not in UTF-8.*Windows-1252/)
  for (const file of [Buffer.from(text), utf16(text)]) assert.deepEqual(await warned(file), [])
})

it('numbers beyond all numbers count as missing, and it is said', async () => {
  const { columns, warnings } = await read({ json: '[{"a":1e999},{"a":-1e999},{"a":1}]' })
  assert.deepEqual(columns[0]?.type === 'number' && [...columns[0].values], [Number.NaN, Number.NaN, 1])
  assert.match(warnings.join(), /2 cells of "a" are not a number and counted as missing, for example "Infinity"/)
})

it('texts that can not be told apart where they are written are one', async () => {
  const [column] = (await read({ json: '[{"a":"\\ud800"},{"a":"\\udfff"},{"a":"\\u0000"},{"a":"x"}]' })).columns
  assert.deepEqual(column && 'codes' in column && [column.levels, [...column.codes]], [
    ['\uFFFD', 'x'],
    [0, 0, 0, 1],
  ])
})
