/** Parquet as columns, read in JavaScript: a broken file is an error here, not a fault in native memory. docs/decisions/data.md */
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import {
  type FileMetaData,
  parquetMetadata,
  parquetReadObjects,
  parquetSchema,
  type SchemaTree,
  snappyUncompress,
} from 'hyparquet'
import { Refusal } from '../../src/brief.ts'
import { shown } from './foreign-text.ts'
import { cellOf } from './json.ts'
import { boundedSize, distinctNames, type RawTable, type Value } from './raw-table.ts'

/** All pages of a file together, unpacked. */
const MOST_UNPACKED = 256 * 1024 * 1024

/** Throws a `Refusal` for a file that is broken, too large, or unpacks to too much. */
export async function readParquet(bytes: Uint8Array, param: string): Promise<RawTable> {
  try {
    return await columnsOf(new Uint8Array(bytes).buffer, param)
  } catch (cause) {
    // Whatever a broken file makes of its reader.
    throw cause instanceof Refusal ? cause : broken(cause, param)
  }
}

async function columnsOf(file: ArrayBuffer, param: string): Promise<RawTable> {
  const metadata = parquetMetadata(file)
  const schema = parquetSchema(metadata)
  const names = schema.children.map(({ element }) => element.name)
  const rows = Number(metadata.num_rows)
  if (names.length === 0) throw new Refusal(param, 'The table is empty.')
  boundedSize(rows, names.length, param)
  refuseBombs(metadata, file.byteLength, param)
  requireColumns(metadata, leavesOf(schema))
  const kept = schema.children.filter(column => !hasSpans(column))
  const leftOut = schema.children.filter(hasSpans)
  if (kept.length === 0) throw new Refusal(param, 'All columns of the Parquet file are intervals, which are not read.')
  const read = await parquetReadObjects({
    file,
    metadata,
    columns: kept.map(({ element }) => element.name),
    compressors: compressors(param),
    geoparquet: false,
  })
  if (read.length !== rows) throw new Error(`${read.length} rows are there, ${rows} were announced`)
  const columns = kept.map(({ element }) => {
    const perSecond = ticksOf(element)
    return read.map(({ [element.name]: cell }): Value => {
      const isTime = perSecond !== undefined && (typeof cell === 'number' || typeof cell === 'bigint')
      return isTime ? clockOf(Number(cell) / perSecond) : cellOf(cell, param)
    })
  })
  return {
    names: distinctNames(kept.map(({ element }) => element.name)),
    columns,
    rows,
    warnings: leftOut.map(
      ({ element }) => `${shown(element.name)} holds intervals, which are not read: it is left out.`,
    ),
  }
}

/** Intervals of months, days and milliseconds, which the reader knows nothing of. */
const hasSpans = ({ element, children }: SchemaTree): boolean =>
  element.converted_type === 'INTERVAL' || children.some(hasSpans)

/** Of a time of day, how many of its ticks are a second. */
function ticksOf({ logical_type: logical, converted_type: converted }: SchemaTree['element']): number | undefined {
  if (logical?.type === 'TIME') return { MILLIS: 1e3, MICROS: 1e6, NANOS: 1e9 }[logical.unit]
  return converted === 'TIME_MILLIS' ? 1e3 : converted === 'TIME_MICROS' ? 1e6 : undefined
}

/** 13:05:09, from seconds after midnight. */
const clockOf = (seconds: number) =>
  [seconds / 3600, (seconds / 60) % 60, seconds % 60].map(part => String(Math.floor(part)).padStart(2, '0')).join(':')

/** What is no plain error came of bytes that are not what they were taken for, and its words help nobody. */
function broken(cause: unknown, param: string): Refusal {
  const isPlain = cause instanceof Error && cause.constructor === Error
  const why = isPlain ? shown(cause.message) : 'it is cut off, or its parts are not where it says'
  return new Refusal(param, `The Parquet file can't be read: ${why}.`)
}

/** A file says itself how long its parts are: what can't be is refused before memory is taken for it. */
function refuseBombs({ row_groups: groups, num_rows: rows }: FileMetaData, length: number, param: string): void {
  let [unpacked, counted] = [0, 0]
  for (const group of groups) {
    counted += Number(group.num_rows)
    for (const { meta_data: column } of group.columns) {
      if (column === undefined) continue
      unpacked += Number(column.total_uncompressed_size)
      // A dictionary lies before the values, and counts.
      const start = Math.min(Number(column.dictionary_page_offset) || Infinity, Number(column.data_page_offset))
      const end = start + Number(column.total_compressed_size)
      const odd = Number(column.num_values) < 0 || Number(column.total_compressed_size) < 0
      if (odd || end > length + 8) throw new Error('a column lies outside of the file')
      if (Number(column.num_values) > 100 * Number(rows)) throw new Error('a column has too many values')
    }
  }
  if (counted !== Number(rows)) throw new Error('its parts do not add up')
  if (unpacked > MOST_UNPACKED) throw tooLarge(param)
}

/**
 * Every part has each column of the schema once: the reader waits for those and no others, and one that it does not wait
 * for would fail with nobody to hear of it.
 */
function requireColumns({ row_groups: groups }: FileMetaData, leaves: readonly string[]): void {
  for (const { columns } of groups) {
    const there = columns.map(({ meta_data: column }) => column?.path_in_schema.join('.') ?? '')
    if (there.toSorted().join('\n') !== leaves.join('\n')) throw new Error('a part has other columns than the schema')
  }
}

const leavesOf = (tree: SchemaTree): string[] => {
  const all = ({ children, path }: SchemaTree): string[] =>
    children.length === 0 ? [path.join('.')] : children.flatMap(all)
  return tree.children.flatMap(all).toSorted()
}

const tooLarge = (param: string) =>
  new Refusal(param, 'The Parquet file unpacks to more than 256 MiB. Send fewer columns, or a sample of the rows.')

type Unpack = (input: Uint8Array, length: number) => Uint8Array

/** A page unpacks to what its header says, and all pages to what one table may take. */
function compressors(param: string): Readonly<Record<'SNAPPY' | 'GZIP' | 'BROTLI' | 'ZSTD', Unpack>> {
  let unpacked = 0
  const counted =
    (unpack: Unpack): Unpack =>
    (input, length) => {
      unpacked += length
      if (!(length >= 0 && unpacked <= MOST_UNPACKED)) throw tooLarge(param)
      return unpack(input, length)
    }
  const limits = (length: number) => ({ maxOutputLength: Math.max(1, length) })
  return {
    SNAPPY: counted((input, length) => {
      const output = new Uint8Array(length)
      snappyUncompress(input, output)
      return output
    }),
    GZIP: counted((input, length) => gunzipSync(input, limits(length))),
    BROTLI: counted((input, length) => brotliDecompressSync(input, limits(length))),
    ZSTD: counted((input, length) => zstdDecompressSync(input, limits(length))),
  }
}
