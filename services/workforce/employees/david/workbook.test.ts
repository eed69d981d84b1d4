/** A workbook of Excel in place of a table of text. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Brief } from '../src/brief.ts'
import { checks as reportChecks } from './create_report/checks.ts'
import { rules as report } from './create_report/engine.ts'
import { checks as forecastChecks } from './forecast/checks.ts'
import { rules as forecast } from './forecast/engine.ts'
import { packed, rowsXml, workbook } from './table/xlsx.fixture.ts'

/** Forty days from 2026-01-01, below a title, beside a sheet that is not meant. */
const bytes = packed(
  workbook({
    Sales: rowsXml([
      ['Sales of 2026'],
      [],
      ['day', 'region', 'sold'],
      ...Array.from(
        { length: 40 },
        (_, i) => [[46023 + i, 's="1"'], i % 2 ? 'north' : 'south', [100 + (i % 7) * 10 + i, 's="3"']] as const,
      ),
    ]),
    Notes: rowsXml([['x'], [1]]),
  }),
)

const brief = <Input>(input: Input): Brief<Input> => ({
  topic: 'Sales',
  tone: '',
  constraints: {},
  files: [
    {
      name: 'sales.xlsx',
      media_type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      bytes,
    },
  ],
  seed: 1,
  input,
})

const failed = (measured: readonly { readonly id: string; readonly pass: boolean }[]) =>
  measured.filter(({ pass }) => !pass).map(({ id }) => id)

it('forecast reads a workbook: days by their style, a title above the header, the first sheet', async () => {
  const asked = brief({ horizon: 7 })
  const answer = await forecast(asked)
  const [series, ...others] = answer.result.series
  assert.deepEqual([series?.name, series?.frequency, others.length], ['sold', 'daily', 0])
  assert.equal(series?.forecast[0]?.time, '2026-02-10')
  assert.match(answer.warnings?.join('\n') ?? '', /The sheet "Sales" is read. There are others: "Notes"/)
  assert.deepEqual(failed(await forecastChecks(asked, answer)), [])
})

it('create_report reads a workbook, and counts its rows and columns', async () => {
  const asked = brief({})
  const answer = await report(asked)
  assert.equal(answer.result.rows, 40)
  const markdown = answer.artifacts?.find(({ name }) => name === 'report.md')?.bytes
  const text = new TextDecoder().decode(markdown)
  for (const word of ['sold', 'region', '2026-01-01', '2026-02-09', 'The sheet "Sales" is read'])
    assert.ok(text.includes(word), word)
  assert.deepEqual(failed(await reportChecks(asked, answer)), [])
})
