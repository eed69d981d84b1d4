/** Tables that are forecast. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readCsv } from '../../table/csv.ts'
import { brief, dated, read, refused } from './brief.fixture.ts'
import { readSeries } from './series.ts'
import { fileTable } from './sources.ts'

describe('tables', () => {
  const rows = Array.from(
    { length: 12 },
    (_, i) => [`2026-01-${String(i + 1).padStart(2, '0')}`, `${i + 0.5}`, `${10 * i}`] as const,
  )

  it('finds the column of times and those of numbers', () => {
    const csv = `note,day,a,b\n${rows.map(([day, a, b]) => `x,${day},${a},${b}`).join('\n')}`
    const series = readSeries(brief({ csv }))
    assert.deepEqual(
      series.map(({ name, frequency }) => [name, frequency]),
      [
        ['a', 'daily'],
        ['b', 'daily'],
      ],
    )
    assert.deepEqual(
      readSeries(brief({ csv, value_columns: ['b'] })).map(({ name }) => name),
      ['b'],
    )
  })

  it('reads the same rows of a table as an analysis of it', () => {
    const csv = `day,"sold;\n""net"" x"\n \n${rows.map(([day, a]) => `"${day}",${a}`).join('\n')}\n,\n`
    const { names, columns } = readCsv(csv, 'input.csv')
    const { name, values } = read({ csv })
    assert.equal(name, names[1])
    assert.deepEqual([...values], columns[1]?.filter(cell => cell !== '').map(Number))
  })

  it('reads semicolons and decimal commas', () => {
    const lines = rows.map(([day], i) => `${day.split('-').toReversed().join('.')};1.${String(i).padStart(3, '0')},5`)
    const series = read({ csv: `Datum;Umsatz\r\n${lines.join('\r\n')}` })
    assert.equal(series.frequency, 'daily')
    assert.equal(series.values[3], 1003.5)
  })

  it('reads 01/02/2026 as the table shows it, or as the input says, as an analysis does', () => {
    const csv = `d;v\n${rows.map((_, i) => `${String(i + 1).padStart(2, '0')}/02/2026;${i},5`).join('\n')}`
    const series = read({ csv })
    assert.deepEqual([series.frequency, series.timeOf(12)], ['daily', '2026-02-13'])
    assert.match(series.warnings.join(), /"d" is read with the day first, as decimals have a comma/)
    assert.equal(read({ csv, date_order: 'month_first' }).frequency, 'monthly')
  })

  it('takes a title for no header, a constant id for no series, and Excel’s numbers of days for times', () => {
    const csv = `Report\n\nshop,Date,sold\n${rows.map((_, i) => `7,${46023 + i},${i * i}`).join('\n')}`
    const [series, ...others] = readSeries(brief({ csv }))
    assert.deepEqual([series?.name, series?.timeOf(0), others.length], ['sold', '2026-01-01', 0])
    assert.match(series?.warnings.join() ?? '', /"Report".*Excel’s number of 2026-01-01.*"shop" names or counts rows/)
  })

  it('reads a year and a quarter together, and takes neither for a series', () => {
    const csv = `year,quarter,v\n${rows.map((_, i) => `${2020 + Math.floor(i / 4)},${(i % 4) + 1},${i * i}`).join('\n')}`
    const [series, ...others] = readSeries(brief({ csv }))
    assert.deepEqual(
      [series?.name, series?.frequency, series?.timeOf(12), others.length],
      ['v', 'quarterly', '2023-Q1', 0],
    )
    assert.match(series?.warnings.join() ?? '', /"year" and "quarter" are read together/)
  })

  it('loses no row where the header is blank', () => {
    const series = read({ csv: `,\n${rows.map(([day, a]) => `${day},${a}`).join('\n')}` })
    assert.deepEqual([series.name, series.values.length, series.timeOf(0)], ['column 2', 12, '2026-01-01'])
  })

  it('reads sums of money, and says how', () => {
    const series = read({ csv: `day,paid\n${rows.map(([day], i) => `${day},$${i}`).join('\n')}` })
    assert.equal(series.values[3], 3)
    assert.match(series.warnings.join(), /"paid" is read as numbers: "\$0" as 0/)
  })

  it('reads series that stand below each other', () => {
    const csv = `shop,day,sold\n${rows.map(([day, a]) => `north,${day},${a}\nsouth,${day},${a}`).join('\n')}`
    assert.deepEqual(
      readSeries(brief({ csv, series_column: 'shop' })).map(({ name }) => name),
      ['north', 'south'],
    )
    refused({ csv }, /two values for 2026-01-01/)
  })

  it('takes the hour that comes twice when clocks are turned back for one, and says so', () => {
    const clock = new Intl.DateTimeFormat('sv-SE', {
      timeZone: 'Europe/Berlin',
      dateStyle: 'short',
      timeStyle: 'short',
    })
    const times = Array.from({ length: 24 * 20 }, (_, i) => clock.format(Date.UTC(2026, 9, 15) + i * 3_600_000))
    const series = read(dated(times))
    assert.equal(series.values.length, times.length - 1)
    assert.equal(series.values[240], (241 + 242) / 2)
    assert.match(series.warnings.join(), /Two values were given for 2026-10-25T02:00:00, .* mean is taken/)
    const noon = times.with(300, times[299] ?? '')
    refused(dated(noon), /two values for/)
  })

  it('reads the file that came with the brief, also one that Windows wrote', async () => {
    const text = `Tag;Käufe\n${rows.map(([day, , b]) => `${day};${b}`).join('\n')}`
    const bytes = Uint8Array.from(text, sign => sign.charCodeAt(0))
    const asked = brief({}, [{ name: 'x.csv', media_type: 'text/csv', bytes }])
    assert.equal(readSeries(asked, await fileTable(asked))[0]?.name, 'Käufe')
  })

  const months = Array.from(
    { length: 14 },
    (_, i) => [2015 + Math.floor(i / 12), `${(i % 12) + 1}`.padStart(2, '0')] as const,
  )
  for (const [form, of, header] of [
    ['MM.YYYY', (y: number, m: string) => `${m}.${y}`, 'Monat'],
    ['MM/YYYY', (y: number, m: string) => `${m}/${y}`, 'when'],
    ['YYYYMM', (y: number, m: string) => `${y}${m}`, 'm'],
  ] as const)
    it(`reads ${form} as months, in the first column and the latest first as well`, () => {
      const lines = months.map(([y, m], i) => `${of(y, m)};1.${i + 200},5`)
      for (const rows of [lines, lines.toReversed()]) {
        const [series, ...others] = readSeries(brief({ csv: `${header};Umsatz\n${rows.join('\n')}` }))
        assert.deepEqual([series?.name, series?.frequency, others.length], ['Umsatz', 'monthly', 0])
        assert.equal(series?.values[0], 1200.5)
      }
    })

  it('names the cell that is no time among times, in words that tell the row', () => {
    const lines = months.slice(0, 8).map(([y, m], i) => `${y}-${m},${i + 1}`)
    refused(
      { csv: `month,sold\n${lines.join('\n')}\nTotal,36` },
      /"month" has 8 times and 1 cell that is none: "Total", in row 9/,
    )
    refused({ csv: `when,sold\n${lines.join('\n')}\n,36` }, /"when" has 8 times and 1 cell that is none: "", in row 9/)
    const years = months.slice(0, 8).map((_, i) => `${2001 + i},${i + 1}`)
    refused({ csv: `year,sold\n${years.join('\n')}\nSumme,36` }, /"Summe", in row 9/)
  })

  it('takes zip codes and numbers of rows for no values, and says so', () => {
    const csv = `id,zip,sold\n${rows.map(([, , b], i) => `${i + 1},0100${i % 10},${b}`).join('\n')}`
    const [series, ...others] = readSeries(brief({ csv }))
    assert.deepEqual([series?.name, others.length], ['sold', 0])
    assert.match(series?.warnings.join() ?? '', /"id" names or counts rows .*"zip" names or counts rows/)
    assert.equal(read({ csv, value_columns: ['id'] }).name, 'id')
    assert.equal(read({ csv: `sold\n${rows.map((_, i) => i + 1).join('\n')}` }).name, 'sold')
  })

  for (const [what, header, cell] of [
    ['a form that nobody knows', 'x', (i: number) => `KW${i + 1}/15`],
    ...['Monat', 'quarter', 'fecha', 'jour', 'heure', 'created_at', 'Rechnungsdatum'].map(
      name => [`a number that is called ${name}`, name, (i: number) => `${((i * 5) % 12) + 1}`] as const,
    ),
  ] as const)
    it(`says that rows are taken in their order where times have ${what}`, () => {
      const [series, ...others] = readSeries(
        brief({ csv: `${header},sold\n${rows.map(([, a], i) => `${cell(i)},${a}`).join('\n')}` }),
      )
      assert.deepEqual([series?.name, others.length], ['sold', 0])
      assert.match(series?.warnings.join() ?? '', /rows are taken in their order/)
    })

  it('forecasts no column of times that comes second and can not be read', () => {
    const csv = `region,created_at,sold\n${rows.map(([, a], i) => `town ${i},${((i * 5) % 12) + 1},${a}`).join('\n')}`
    assert.deepEqual(
      readSeries(brief({ csv })).map(({ name }) => name),
      ['sold'],
    )
  })

  for (const [name, last] of [
    ['region', 'Total,36'],
    ['Gebiet', 'Summe,36'],
    ['region', 'Total,36\n,'],
  ] as const)
    it(`says that the last row, ${JSON.stringify(last)}, seems to sum up the others, without times`, () => {
      const lines = Array.from({ length: 8 }, (_, i) => `town ${'abcdefgh'[i]},${i + 1}`)
      const { values, warnings } = read({ csv: `${name},sold\n${lines.join('\n')}\n${last}\n` })
      assert.equal(values.length, 9)
      assert.match(warnings.join('\n'), /Row 9, the last, says "(Total|Summe)" and is read like the others/)
    })

  it('says which cell is no number, and which column there is not', () => {
    const csv = `day,a\n${rows.map(([day, a], i) => `${day},${i === 5 ? 'many' : a}`).join('\n')}`
    refused({ csv, value_columns: ['a'] }, /"many" as value 6/)
    refused({ csv, value_columns: ['c'] }, /no column "c".*"day", "a"/)
    refused({ csv }, /No column beside the dates holds numbers. "a" has "many" in row 6/)
  })
})
