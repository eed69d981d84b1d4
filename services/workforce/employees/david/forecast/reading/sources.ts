/** Where the series of a brief stand: in its input, in a table in it, or in the one file that came with it. */
import { type Brief, Refusal } from '../../../src/brief.ts'
import { readCsv } from '../../table/csv.ts'
import { textOf } from '../../table/text-of.ts'
import type { ForecastInput, GivenSeries } from '../input.ts'
import type { RawSeries } from './raw-series.ts'
import { seriesOf } from './table.ts'

/** The longest text or file that is read as a table: 16 MiB. */
const LONGEST_TABLE = 16 * 1024 * 1024

export function readSources({ input, files }: Brief<ForecastInput>): readonly RawSeries[] {
  const { values, series, csv, name, timestamps } = input
  if ([values, series, csv].filter(one => one !== undefined).length > 1)
    throw new Refusal('input', 'Give the data once: as `values`, as `series` or as `csv`.')
  if (values) return [rawOf({ values, ...(name !== undefined && { name }), ...(timestamps && { timestamps }) }, 0)]
  if (series) return series.map(rawOf)
  if (csv !== undefined)
    return seriesOf(readCsv(bounded(csv, 'input.csv'), 'input.csv', input.header_row), input, 'input.csv')
  const [file, ...others] = files
  if (file === undefined)
    throw new Refusal('input', 'There is nothing to forecast: give `values`, `series` or `csv`, or add a CSV file.')
  if (others.length > 0) throw new Refusal('files', 'There are several files; a forecast reads one table.')
  const { text, warnings } = textOf({ ...file, bytes: bounded(file.bytes, 'files') })
  const table = readCsv(text, 'files', input.header_row)
  return seriesOf({ ...table, warnings: [...warnings, ...table.warnings] }, input, 'files')
}

const rawOf = ({ name, values, timestamps }: GivenSeries, i: number): RawSeries => ({
  name: name ?? `series ${i + 1}`,
  values: values.map(value => value ?? Number.NaN),
  ...(timestamps && { timestamps }),
})

function bounded<Data extends { readonly length: number }>(data: Data, param: string): Data {
  if (data.length <= LONGEST_TABLE) return data
  throw new Refusal(param, 'The table is longer than 16 MiB. Send the latest rows, or sum them up.')
}
