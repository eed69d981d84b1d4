import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { Refusal } from '../../src/brief.ts'
import { readCsv } from './csv.ts'

const read = (text: string) => {
  const { names, columns, rows } = readCsv(text, 'input.csv')
  return { names, rows: Array.from({ length: rows }, (_, row) => columns.map(column => column[row])) }
}

describe('CSV', () => {
  it('is read as csv-parse reads it, whatever stands in the cells', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r', ' ', '=', 'é', '\t'), maxLength: 8 })
    const table = fc
      .integer({ min: 1, max: 5 })
      .chain(width => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 8 }))
    fc.assert(
      fc.property(table, fc.constantFrom('\n', '\r\n'), (rows, newline) => {
        const header = (rows[0] ?? ['x']).map((_, i) => `name ${i}`)
        const text = stringify([header, ...rows], { record_delimiter: newline, quoted: true })
        const expected: string[][] = parse(text)
        const full = expected.slice(1).filter(row => row.some(one => one !== ''))
        assert.deepEqual(read(text).rows, full)
      }),
    )
  })

  it('may be separated by semicolons, tabs and bars, and begin with a mark', () => {
    for (const sign of [';', '\t', '|'])
      assert.deepEqual(read(`\uFEFFa${sign}b\n1,5${sign}2\n`), { names: ['a', 'b'], rows: [['1,5', '2']] })
  })

  it('is split by what all of its first lines have, whatever stands in the names', () => {
    assert.deepEqual(read('day,price;net\n2026-01-01,5\n').names, ['day', 'price;net'])
    assert.deepEqual(read('day;a, b, c\n2026-01-01;1,5\n').names, ['day', 'a, b, c'])
    assert.deepEqual(read('"a;b\n;",c\n1,2\n').rows, [['1', '2']])
  })

  it('may have rows that are too short or too long, of which it tells', () => {
    const { columns, warnings } = readCsv('a,b\n1\n2,3,4\n5,6,\n', 'input.csv')
    assert.deepEqual(columns, [
      ['1', '2', '5'],
      ['', '3', '6'],
    ])
    assert.equal(warnings.length, 2)
  })

  it('gives each column a name of its own', () => {
    assert.deepEqual(read('a,A,,a\n1,2,3,4\n').names, ['a', 'A (2)', 'column 3', 'a (3)'])
  })

  it('ends where a quote is never closed, and reads on after a closed one', () => {
    assert.deepEqual(read('a,b\n"x"y,"z').rows, [['xy', 'z']])
  })

  it('whose header is blank loses no row, and says that its columns have no names', () => {
    assert.deepEqual(read(',,\n1,2,3\n4,5,6\n'), {
      names: ['column 1', 'column 2', 'column 3'],
      rows: [
        ['1', '2', '3'],
        ['4', '5', '6'],
      ],
    })
    assert.match(readCsv(',,\n1,2,3\n', 'input.csv').warnings.join(), /no names/)
    assert.deepEqual(read('\n\na,b\n,\n1,2\n'), { names: ['a', 'b'], rows: [['1', '2']] })
  })

  it('whose quote swallows all that follows is refused, with the row where it opens', () => {
    const lines = Array.from({ length: 24 }, (_, i) => (i === 12 ? `"x${i},${i}` : `x${i},${i}`))
    assert.throws(
      () => readCsv(`a,b\n${lines.join('\n')}\n`, 'input.csv'),
      (error: unknown) => error instanceof Refusal && /opens in row 13 below the first/.test(error.message),
    )
    assert.deepEqual(read('a,b\nx,"z\n').rows, [['x', 'z\n']])
  })

  it('may begin with the line by which Excel is told what separates cells', () => {
    for (const sign of [';', '|', ','])
      assert.deepEqual(read(`\uFEFFsep=${sign}\r\na${sign}b\r\n1${sign}2\r\n`), {
        names: ['a', 'b'],
        rows: [['1', '2']],
      })
  })

  it('of too many columns, rows or cells, or of a cell without end, is refused', () => {
    const refused = (text: string, words: RegExp) =>
      assert.throws(
        () => readCsv(text, 'input.csv'),
        (error: unknown) => error instanceof Refusal && words.test(error.message),
      )
    refused(Array.from({ length: 10_000 }, (_, i) => `c${i}`).join(','), /1,000 columns/)
    refused(`a\n${'1\n'.repeat(1_000_001)}`, /1,000,000 rows/)
    refused(`a,b,c,d,e,f,g,h\n${'1,2,3,4,5,6,7,8\n'.repeat(700_000)}`, /5,000,000 cells/)
    refused(`a\n${'x'.repeat(10_000_000)}`, /100,000 characters/)
    refused(`a\n"${'"",'.repeat(3_000_000)}"`, /100,000 characters/)
    refused('', /empty/)
  })

  it('of quotes and blanks takes no longer than any', () => {
    const text = `a\n${'" '.repeat(40_000)}`
    assert.equal(read(text).rows.length, 1)
  })
})
