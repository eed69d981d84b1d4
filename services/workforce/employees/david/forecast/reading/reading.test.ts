/** Times, numbers and tables, as people write them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Brief, Refusal } from '../../../src/brief.ts'
import { readCsv } from '../../table/csv.ts'
import { dayOrderOf, readMoment } from '../../table/moment.ts'
import { readNumber } from '../../table/number.ts'
import type { ForecastInput } from '../input.ts'
import { airPassengers } from '../models/series-of-r.fixture.ts'
import { readSeries, type Series } from './series.ts'
import { fileTable } from './sources.ts'

const brief = (input: Partial<ForecastInput>, files: Brief['files'] = []): Brief<ForecastInput> => ({
  topic: '',
  tone: '',
  constraints: {},
  seed: 1,
  files,
  input: { horizon: 1, ...input },
})

function read(input: Partial<ForecastInput>): Series {
  const [series] = readSeries(brief(input))
  assert.ok(series)
  return series
}

const refused = (input: Partial<ForecastInput>, words: RegExp) =>
  assert.throws(
    () => readSeries(brief(input)),
    (error: unknown) => error instanceof Refusal && words.test(error.message),
  )

const dated = (dates: readonly string[], values = dates.map((_, i) => i + 1)) => ({ values, timestamps: dates })
const days = (count: number, step: number, first = Date.UTC(2026, 0, 1)) =>
  Array.from({ length: count }, (_, i) => new Date(first + i * step * 1000).toISOString())

describe('times', () => {
  for (const [text, day] of [
    ['2026', '2026-01-01'],
    ['2026-Q3', '2026-07-01'],
    ['Q3 2026', '2026-07-01'],
    ['2026-07', '2026-07-01'],
    ['07/2026', '2026-07-01'],
    ['07.2026', '2026-07-01'],
    ['202607', '2026-07-01'],
    ['Jul 2026', '2026-07-01'],
    ['1991 July', '1991-07-01'],
    ['2026-W01', '2025-12-29'],
    ['20260731', '2026-07-31'],
    ['2026-07-31', '2026-07-31'],
    ['31.7.2026', '2026-07-31'],
    ['2026-07-31T23:00:00+02:00', '2026-07-31T21:00:00'],
    ['2026-07-31 23:05', '2026-07-31T23:05:00'],
  ] as const)
    it(`reads ${text}`, () => {
      const { at = Number.NaN } = readMoment(text, 'month first') ?? {}
      assert.equal(new Date(at).toISOString().slice(0, day.length), day)
    })

  for (const text of [
    '',
    'soon',
    '2026-13',
    '2026-02-30',
    '31.2.2026',
    '2026-01-01T25:00',
    '0',
    '99999',
    '2026-Q5',
    '1e5',
    '1.2345',
    '202613',
    '123406',
  ])
    it(`does not take ${JSON.stringify(text)} for a time`, () => {
      assert.equal(readMoment(text, 'day first'), undefined)
    })

  it('decides between day and month for a whole column', () => {
    assert.equal(dayOrderOf(['1/2/2026', '13/2/2026']), 'day first')
    assert.equal(dayOrderOf(['1/2/2026', '1/13/2026']), 'month first')
    assert.equal(dayOrderOf(['1/2/2026', '2/2/2026']), 'either')
    assert.equal(dayOrderOf(['13/2/2026', '1/13/2026']), undefined)
  })

  it('takes any text without losing its way', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), text => {
        const { at } = readMoment(text, 'day first') ?? {}
        return at === undefined || Number.isFinite(at)
      }),
    )
  })
})

describe('numbers', () => {
  for (const [cell, comma, value] of [
    ['12', false, 12],
    ['-1.5e3', false, -1500],
    ['1,234,567.5', false, 1234567.5],
    ['1.234,5', true, 1234.5],
    ['NA', false, Number.NaN],
    ['', false, Number.NaN],
    ['12 apples', false, undefined],
    ['0x10', false, undefined],
    ['Infinity', false, undefined],
    ['=1+1', false, undefined],
  ] as const)
    it(`reads ${JSON.stringify(cell)} as ${value}`, () => {
      assert.equal(readNumber(cell, comma), value)
    })
})

describe('how often there is a value', () => {
  for (const [frequency, timestamps, next] of [
    ['yearly', Array.from({ length: 12 }, (_, i) => `${2000 + i}`), '2012'],
    ['quarterly', Array.from({ length: 12 }, (_, i) => `${2000 + Math.floor(i / 4)} Q${(i % 4) + 1}`), '2003-Q1'],
    ['monthly', Array.from({ length: 12 }, (_, i) => `2025-${String(i + 1).padStart(2, '0')}-28`), '2026-01'],
    ['weekly', days(12, 7 * 86_400), '2026-03-26'],
    ['daily', days(12, 86_400), '2026-01-13'],
    ['hourly', days(12, 3600), '2026-01-01T12:00:00Z'],
    ['half_hourly', days(12, 1800), '2026-01-01T06:00:00Z'],
    ['every 10 minutes', days(12, 600), '2026-01-01T02:00:00Z'],
    ['every 4 weeks', days(12, 28 * 86_400), '2026-12-03'],
  ] as const)
    it(`is seen: ${frequency}`, () => {
      const series = read(dated(timestamps))
      assert.equal(series.frequency, frequency)
      assert.equal(series.timeOf(12), next)
    })

  it('sees that nobody works at weekends', () => {
    const weekdays = days(21, 86_400).filter(day => ![0, 6].includes(new Date(day).getUTCDay()))
    const series = read(dated(weekdays))
    assert.equal(series.frequency, 'business_daily')
    // The first of January 2026 is a Thursday; the 21 days end on a Wednesday.
    assert.deepEqual([0, 1, 2, 15].map(series.timeOf), ['2026-01-01', '2026-01-02', '2026-01-05', '2026-01-22'])
  })

  it('reads 1/2/2026, 1/3/2026 … with the order by which the steps are equal, and says so', () => {
    const monthly = read(dated(Array.from({ length: 9 }, (_, i) => `01/0${i + 1}/2026`)))
    assert.equal(monthly.frequency, 'daily')
    assert.match(monthly.warnings.join(), /month first/)
    const uneven = read(
      dated([
        '01/01/2026',
        '02/01/2026',
        '03/01/2026',
        '04/01/2026',
        '05/01/2026',
        '06/01/2026',
        '07/01/2026',
        '08/01/2026',
        '09/01/2026',
        '10/01/2026',
        '11/01/2026',
        '12/01/2026',
        '01/02/2027',
        '02/02/2027',
        '03/02/2027',
      ]),
    )
    assert.equal(uneven.frequency, 'monthly')
  })

  it('looks for a season in values without times, and says what it found', () => {
    const { periods, warnings } = read({ values: [...airPassengers] })
    assert.deepEqual(periods, [12])
    assert.match(warnings.join(), /season of 12 steps was found/)
    assert.deepEqual(read({ values: Array.from({ length: 100 }, (_, t) => Math.sin(t * t)) }).periods, [])
  })

  it('looks for no season in two of its length, and says how many values it needs', () => {
    const { periods, warnings } = read({ values: [...airPassengers.subarray(0, 24)], frequency: 'monthly' })
    assert.deepEqual(periods, [])
    assert.match(warnings.join(), /No season of 12 steps .* more than 24 values, and there are 24/)
  })
})

describe('missing values', () => {
  it('are interpolated with the season in mind, and counted', () => {
    const values: (number | null)[] = [...airPassengers]
    values[60] = null
    const series = read({ values, frequency: 'monthly' })
    assert.equal(series.filled, 1)
    assert.match(series.warnings.join(), /1 of 144 values were missing and are interpolated/)
    // Between 201 in December and 188 in February, January was 204.
    assert.ok(Math.abs((series.values[60] ?? 0) - 204) < 12, `${series.values[60]}`)
  })

  it('are the days without a row, and zero where that is what they mean', () => {
    const timestamps = days(20, 86_400).filter((_, i) => i !== 7)
    const input = dated(timestamps)
    assert.equal(read(input).values.length, 20)
    assert.equal(read({ ...input, missing: 'zero' }).values[7], 0)
  })

  it('are refused where little else is there', () => {
    refused({ values: Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? i : null)) }, /15 of 29|14 of 29/)
    refused({ values: [null, null, null] }, /0 values/)
  })

  it('at the end of rows with times: the warning names them, and where the forecast begins', () => {
    const quarters = Array.from({ length: 14 }, (_, i) => `${2020 + (i >> 2)}-Q${1 + (i % 4)}`)
    const csv = `quarter,approval\n${quarters.map((quarter, i) => `${quarter},${i < 12 ? 40 + (i % 4) : ''}`).join('\n')}\n`
    const series = read({ csv })
    assert.equal(series.values.length, 12)
    assert.equal(series.timeOf(12), '2023-Q1')
    assert.match(
      series.warnings.join('\n'),
      /^Values 13, 14 of 14, at the end, are missing: the forecast begins with 2023-Q1, right after the last value that is there\.$/m,
    )
    const whole = read({ csv: csv.replaceAll(/,$/gm, ',40') })
    assert.doesNotMatch(whole.warnings.join(), /at the end/)
  })

  it('at the end: the forecast begins after what is known', () => {
    const series = read({ values: [1, 2, 3, 4, 5, 6, 7, 8, 9, null] })
    assert.equal(series.values.length, 9)
    assert.match(
      series.warnings.join(),
      /^Value 10 of 10, at the end, is missing: the forecast begins right after the last value/,
    )
  })
})

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

describe('what is refused', () => {
  const line = Array.from({ length: 30 }, (_, i) => i)
  for (const [what, input, words] of [
    ['nothing', {}, /nothing to forecast/],
    ['data given twice', { values: line, csv: 'a' }, /Give the data once/],
    ['one value', { values: [1] }, /has 1 values; a forecast needs at least 8/],
    ['values beyond all measure', { values: [...line, 1e308] }, /is 1e\+308/],
    [
      'values too small for any chart',
      { values: line.map(value => value * 1e-300) },
      /is 2.9e-299; it may be from 1e-12/,
    ],
    ['infinity', { values: [...line, Number.POSITIVE_INFINITY] }, /is Infinity/],
    ['an empty table', { csv: '\n\n' }, /table is empty/],
    ['times that are none', dated(line.map(String)), /can be read, for example "0"/],
    ['fewer times than values', { values: line, timestamps: ['2026'] }, /30 values and 1 times/],
    [
      'times at random',
      dated([
        '2026-01-01',
        '2026-01-02',
        '2026-01-09',
        '2026-02-20',
        '2026-02-21',
        '2026-05-01',
        '2026-07-09',
        '2026-07-30',
        '2026-11-01',
      ]),
      /not at equal steps/,
    ],
    ['a year 9999 among days', dated([...days(20, 86_400), '9999-12-31']), /21 values on \d+ steps/],
    [
      'two values for one month',
      { ...dated(days(20, 86_400)), frequency: 'monthly' as const },
      /two values for 2026-01/,
    ],
    ['a table of 300 columns', { csv: `${'a,'.repeat(300)}\n${'1,'.repeat(300)}` }, /more than 200 columns/],
    ['a table of 200,001 rows', { csv: '1\n'.repeat(200_002) }, /more than 200000 rows/],
    ['a table of 17 MiB', { csv: 'x'.repeat(17 * 1024 * 1024) }, /longer than 16 MiB/],
    ['a cell without end', { csv: `a,b\n${'1'.repeat(200_000)},2` }, /more than 100,000 characters/],
    ['more values than 200,000', { values: Array.from({ length: 200_001 }, () => 1) }, /at most 200000 are read/],
    ['more series than twenty', { series: Array.from({ length: 21 }, () => ({ values: line })) }, /at most 20/],
  ] as const)
    it(what, () => refused(input, words))

  it('a picture instead of a table', async () => {
    const bytes = Uint8Array.of(137, 80, 78, 71, 0, 0)
    await assert.rejects(fileTable(brief({}, [{ name: 'x.png', media_type: 'image/png', bytes }])), /is no text/)
  })

  it('names of series are short, on one line and different', () => {
    const names = readSeries(
      brief({
        series: ['a\u202Eb\n\u0000c', 'x'.repeat(500), 'x'.repeat(500), ''].map(name => ({ name, values: line })),
      }),
    ).map(({ name }) => name)
    assert.deepEqual(names, ['a b c', 'x'.repeat(80), `${'x'.repeat(80)} (3)`, 'series 4'])
  })
})
