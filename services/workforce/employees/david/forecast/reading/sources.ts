/** Where the series of a brief stand: in its input, in a table in it, or in the one file that came with it. */
import { type Brief, Refusal } from '../../../src/brief.ts'
import { readCsv } from '../../table/csv.ts'
import type { RawTable } from '../../table/raw-table.ts'
import { readFile } from '../../table/sources.ts'
import type { ForecastInput, GivenSeries } from '../input.ts'
import type { RawSeries } from './raw-series.ts'
import { seriesOf } from './table.ts'

/** The longest text or file that is read as a table: 16 MiB. */
const LONGEST_TABLE = 16 * 1024 * 1024

/** The table of the one file that came with the brief, where the data is not in the input. */
export async function fileTable({ input, files }: Brief<ForecastInput>): Promise<RawTable | undefined> {
  const [file, ...others] = files
  const isGiven = [input.values, input.series, input.csv].some(one => one !== undefined)
  if (file === undefined || isGiven) return undefined
  if (others.length > 0) throw new Refusal('files', 'There are several files; a forecast reads one table.')
  bounded(file.bytes, 'files')
  return readFile(file, input)
}

/** `table` is that of the file. */
export function readSources({ input }: Brief<ForecastInput>, table: RawTable | undefined): readonly RawSeries[] {
  const { values, series, csv, name, timestamps } = input
  if ([values, series, csv].filter(one => one !== undefined).length > 1)
    throw new Refusal('input', 'Give the data once: as `values`, as `series` or as `csv`.')
  if (values) return [rawOf({ values, ...(name !== undefined && { name }), ...(timestamps && { timestamps }) }, 0)]
  if (series) return series.map(rawOf)
  if (csv !== undefined)
    return seriesOf(readCsv(bounded(csv, 'input.csv'), 'input.csv', input.header_row), input, 'input.csv')
  if (table) return seriesOf(table, input, 'files')
  throw new Refusal(
    'input',
    'There is nothing to forecast: give `values`, `series` or `csv`, or add a file with a table.',
  )
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
