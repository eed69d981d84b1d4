/** Where the table of a brief stands: in its input, or in the one file that came with it. */
import { type Brief, type BriefFile, Refusal } from '../../src/brief.ts'
import type { Assumptions } from './conventions.ts'
import { readCsv } from './csv.ts'
import { shown } from './foreign-text.ts'
import { readJson, readJsonLines, readRows } from './json.ts'
import { readParquet } from './parquet.ts'
import { MOST, type RawTable } from './raw-table.ts'
import { textOf } from './text-of.ts'
import { unreadFormat } from './unread-formats.ts'
import { readXlsx } from './xlsx.ts'

/** The part of an input that is a table; where none of these is given, it is the one file of the brief. */
export interface TableInput extends Assumptions {
  readonly csv?: string
  readonly json?: string
  readonly json_lines?: string
  readonly rows?: readonly object[]
}

export async function readTable({ input, files }: Brief<TableInput>): Promise<RawTable> {
  const { csv, json, json_lines: lines, rows, header_row: header } = input
  if ([csv, json, lines, rows].filter(one => one !== undefined).length > 1)
    throw new Refusal('input', 'Give the table once: as `csv`, `json`, `json_lines` or `rows`.')
  if (csv !== undefined) return readCsv(bounded(csv, 'input.csv'), 'input.csv', header)
  if (json !== undefined) return readJson(bounded(json, 'input.json'), 'input.json')
  if (lines !== undefined) return readJsonLines(bounded(lines, 'input.json_lines'), 'input.json_lines')
  if (rows !== undefined) return readRows(rows, 'input.rows')
  const [file, ...others] = files
  if (file === undefined)
    throw new Refusal('input', 'There is no table: give `csv`, `json`, `json_lines` or `rows`, or add one file.')
  if (others.length > 0) throw new Refusal('files', 'There are several files; one table is read.')
  return readFile(file, input)
}

/** CSV, JSON, JSON Lines, Parquet or a workbook. */
export function readFile(file: BriefFile, assumptions: Assumptions): RawTable | Promise<RawTable> {
  const bytes = bounded(file.bytes, 'files')
  const magic = new TextDecoder('latin1').decode(bytes.subarray(0, 4))
  if (magic === 'PAR1') return readParquet(bytes, 'files')
  if (magic === 'PK\x03\x04') return readXlsx(bytes, assumptions, 'files')
  const unread = unreadFormat(bytes)
  if (unread !== undefined) throw new Refusal('files', `${shown(file.name)} ${unread}.`)
  const { text, warnings } = textOf(file)
  const table = tableOf(text, file, assumptions.header_row)
  return { ...table, warnings: [...warnings, ...table.warnings] }
}

/** What the file is said to be, and else CSV. */
function tableOf(text: string, { name, media_type: type }: BriefFile, header: number | undefined): RawTable {
  if (/jsonl|ndjson|json-?lines|json-seq/i.test(type) || /\.(jsonl|ndjson)$/i.test(name))
    return readJsonLines(text, 'files')
  if (/^application\/json\b/i.test(type) || /\.json$/i.test(name)) return readJson(text, 'files')
  return readCsv(text, 'files', header)
}

function bounded<Data extends { readonly length: number }>(data: Data, param: string): Data {
  if (data.length <= MOST.bytes) return data
  throw new Refusal(param, 'The table is longer than 64 MiB. Send fewer columns, a sample of the rows, or Parquet.')
}
