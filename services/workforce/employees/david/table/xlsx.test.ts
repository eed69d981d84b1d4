/** Excel's workbooks, and what is made to look like one. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Brief, Refusal } from '../../src/brief.ts'
import { typed } from './columns.ts'
import { readTable, type TableInput } from './sources.ts'
import { type Cell, packed, rowsXml, workbook } from './xlsx.fixture.ts'

const read = (bytes: Uint8Array, input: TableInput = {}) => {
  const files = [{ name: 'a.xlsx', media_type: 'application/octet-stream', bytes }]
  const brief: Brief<TableInput> = { topic: '', tone: '', constraints: {}, seed: 1, input, files }
  return readTable(brief)
}
const refused = (bytes: Uint8Array, words: RegExp, input: TableInput = {}) =>
  assert.rejects(read(bytes, input), (error: unknown) => error instanceof Refusal && words.test(error.message))

const day = (serial: number) => [serial, 's="1"'] as const
const sales: readonly (readonly Cell[])[] = [
  ['Report for January'],
  [],
  ['day', 'amount', 'paid', 'note'],
  [day(46023), [1234.5, 's="3"'], [1, 't="b"'], 'a &amp; b'],
  [day(46024), 2, [0, 't="b"'], 'c'],
]

describe('a workbook', () => {
  it('has days by the style of their cells, a title above its header, and further sheets', async () => {
    const { names, columns, warnings } = await read(
      packed(workbook({ Sales: rowsXml(sales), Käse: rowsXml([['x'], [1]]) })),
    )
    assert.deepEqual(names, ['day', 'amount', 'paid', 'note'])
    assert.deepEqual(columns, [
      [new Date('2026-01-01'), new Date('2026-01-02')],
      [1234.5, 2],
      [true, false],
      ['a & b', 'c'],
    ])
    assert.match(warnings.join('\n'), /The sheet "Sales" is read. There are others: "Käse"/)
    assert.match(warnings.join('\n'), /"Report for January"/)
  })

  it('is read from the sheet and the header that are said', async () => {
    const file = packed(
      workbook({
        A: rowsXml([['x'], [1]]),
        B: rowsXml([
          ['q', 'r'],
          ['y', 'z'],
          [1, 2],
        ]),
      }),
    )
    const { names, columns, warnings } = await read(file, { sheet: 'B', header_row: 2 })
    assert.deepEqual([names, columns, warnings], [['y', 'z'], [[1], [2]], []])
    await refused(file, /no sheet "C". There are: "A", "B"/, { sheet: 'C' })
  })

  it('counts days from 1904 where it says so, and times to the second', async () => {
    const file = packed(workbook({ A: rowsXml([['at'], [[44561.041666666664, 's="2"']]]) }, { epoch1904: true }))
    assert.deepEqual((await read(file)).columns, [[new Date('2026-01-01T01:00:00Z')]])
  })

  it('may have a header of two rows that are merged', async () => {
    const rows: Cell[][] = [
      ['region', '2025', null, '2026', null],
      [null, 'Q1', 'Q2', 'Q1', 'Q2'],
      ['n', 1, 2, 3, 4],
      ['s', 5, 6, 7, 8],
    ]
    const file = packed(workbook({ A: rowsXml(rows) }, { after: '<mergeCells><mergeCell ref="B1:C1"/></mergeCells>' }))
    const { names, warnings } = await read(file)
    assert.deepEqual(names, ['region', '2025 Q1', '2025 Q2', '2026 Q1', '2026 Q2'])
    assert.match(warnings.join(), /header has two rows: "2025 Q1"/)
  })

  it('has percentages as fractions, and tells of each column that has some', async () => {
    const rows = rowsXml([
      ['Shares of 2026', null, null, [0.5, 's="4"']],
      [],
      ['q', 'share', 'growth', 'rate', 'left'],
      ['a', [0.12, 's="4"'], [0.07, 's="5"'], [12, 's="6"'], 0.5],
      ['b', [0.57, 's="4"'], 4, [7, 's="6"'], 0.25],
    ])
    const { columns, warnings } = await read(packed(workbook({ Notes: '', Data: rows })), { header_row: 3 })
    assert.deepEqual(columns.slice(1), [
      [0.12, 0.57],
      [0.07, 4],
      [12, 7],
      [0.5, 0.25],
    ])
    assert.deepEqual(warnings, [
      '"share" is shown as percentages and read as fractions: 12 % as 0.12.',
      '"growth" is shown as percentages and read as fractions: 7 % as 0.07. Its other numbers, 1 of 2, are read as they are.',
    ])
  })

  it('may begin with a sheet that is a chart, in a part that is called as one of cells', async () => {
    const parts = workbook({ Data: rowsXml([['x'], [1]]) })
    const types = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
    const chart = `<Relationship Id="rId9" Type="${types}/chartsheet" Target="chartsheets/sheet1.xml"/>`
    const file = packed({
      ...parts,
      'xl/workbook.xml': `${parts['xl/workbook.xml']}`.replace(
        '<sheets>',
        '$&<sheet name="Chart" sheetId="9" r:id="rId9"/>',
      ),
      'xl/_rels/workbook.xml.rels': `${parts['xl/_rels/workbook.xml.rels']}`.replace('</Rel', `${chart}$&`),
      'xl/chartsheets/sheet1.xml': '<chartsheet/>',
    })
    assert.deepEqual((await read(file)).columns, [[1]])
    await refused(file, /table is empty/, { sheet: 'Chart' })
  })

  it('tells of cells that are merged, of formulas without a result, and of errors', async () => {
    const rows = rowsXml([
      ['a', 'b'],
      ['x', 1],
      [null, 2],
      ['y', ['#DIV/0!', 't="e"']],
    ])
    const formula = '<row r="5"><c r="A5"><f>1+1</f></c><c r="B5"><v>3</v></c></row>'
    const file = packed(workbook({ A: rows + formula }, { after: '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>' }))
    const { warnings } = typed(await read(file))
    assert.match(warnings.join('\n'), /merged over rows, for example A2:A3/)
    assert.match(warnings.join('\n'), /Formulas have no result, for example in A5/)
    assert.match(warnings.join('\n'), /Cells with an error, for example B4, count as missing/)
    const other = packed(workbook({ A: rowsXml([['a'], [1]]), B: rows + formula }))
    assert.match((await read(other)).warnings.join(), /^The sheet "A" is read. There are others: "B"[^,]*$/)
  })

  it('has times of no day as a clock shows them, also past 24 hours', async () => {
    const times = [0.25, 0.5, 1.25].map(share => [[share, 's="2"']] as const)
    assert.deepEqual((await read(packed(workbook({ A: rowsXml([['at'], ...times]) })))).columns, [
      ['06:00:00', '12:00:00', '30:00:00'],
    ])
  })
})

describe('a workbook is refused, in words that help', () => {
  const bomb = (size: number) => packed({ ...workbook({ A: '' }), 'xl/sharedStrings.xml': ' '.repeat(size) })
  const claimed = (size: number) => {
    const file = bomb(1_000_000)
    const view = new DataView(file.buffer)
    for (let at = 0; at < file.length - 46; at++)
      if (view.getUint32(at, true) === 0x02014b50 && view.getUint32(at + 24, true) === 1_000_000)
        view.setUint32(at + 24, size, true)
    return file
  }
  const one = (xml: string) => packed(workbook({ A: xml }))
  const far = (place: string) => `<row r="${/\d+/.exec(place)?.[0]}"><c r="${place}"><v>1</v></c></row>`
  for (const [what, file, words] of [
    ['that unpacks to 200 MB', bomb(200_000_000), /unpacks to more than 64 MiB/],
    ['that unpacks to more than it says', claimed(1_000), /unpacks to more than 64 MiB/],
    ['that says it unpacks to 4 GB', claimed(0xffffffff), /unpacks to more than 64 MiB/],
    [
      'with entities',
      packed({
        ...workbook({ A: rowsXml([['x']]) }),
        'xl/sharedStrings.xml':
          '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><sst><si><t>&b;</t></si></sst>',
      }),
      /XML that no spreadsheet writes/,
    ],
    [
      'with a cell in the farthest corner',
      one('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'),
      /1,000 columns/,
    ],
    [
      'with a row far below',
      one('<row r="1"><c r="ZZ1"><v>1</v></c></row><row r="900000"><c r="A900000"><v>1</v></c></row>'),
      /cells/,
    ],
    [
      'whose far cell hides its place behind quotes',
      one(`<row r="1"><c s=" r='A1' " r="XFD1"><v>1</v></c></row>`),
      /1,000 columns/,
    ],
    [
      'whose far row hides behind a sign of its end',
      one('<row x=">" r="1048576"><c r="A1048576"><v>1</v></c></row>'),
      /1,000,000 rows/,
    ],
    [
      'with a cell that has two places',
      one('<row r="1"><c r="A1" r="XFD1"><v>1</v></c></row>'),
      /no spreadsheet writes/,
    ],
    [
      'with an attribute without quotes',
      one('<row r=900000><c r="A900000"><v>1</v></c></row>'),
      /no spreadsheet writes/,
    ],
    [
      'whose sheets are too large together, though none is by itself',
      packed(workbook(Object.fromEntries(['A', 'B', 'C'].map(name => [name, far('T100000')])))),
      /cells together/,
    ],
    [
      'that names one sheet a hundred times',
      packed({
        ...workbook({ A: far('T100000') }),
        'xl/workbook.xml':
          workbook({ A: '' })['xl/workbook.xml']?.replace(/<sheet .*?\/>/, tag => tag.repeat(100)) ?? '',
      }),
      /no spreadsheet writes/,
    ],
    ['with a place that is none', one('<row r="1"><c r="&#65;1"><v>1</v></c></row>'), /cell without a place/],
    ['without cells', one(''), /table is empty/],
    ['of Excel 97', new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1]), /Excel 97 or one with a password/],
    [
      'that is another archive',
      packed({ 'other.xml': '<x/>', mimetype: 'application/vnd.oasis' }),
      /no .xlsx workbook/,
    ],
  ] as const)
    it(what, () => refused(file, words))

  it('that is broken anywhere, or is read', async () => {
    const whole = packed(workbook({ A: rowsXml(sales) }), { level: 0 })
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(255), fc.boolean(), async (place, byte, cut) => {
        const bytes = cut ? whole.slice(0, 4 + (place % whole.length)) : whole.slice()
        if (!cut) bytes[4 + (place % (whole.length - 4))] = byte
        await read(bytes).catch((error: unknown) => {
          assert.ok(error instanceof Refusal, String(error))
        })
      }),
      { numRuns: 300 },
    )
  })
})
