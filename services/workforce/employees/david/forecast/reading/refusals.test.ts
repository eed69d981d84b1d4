/** What is no series. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brief, dated, days, refused } from './brief.fixture.ts'
import { readSeries } from './series.ts'
import { fileTable } from './sources.ts'

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
