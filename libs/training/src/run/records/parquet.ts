/** Parquet, read in JavaScript: a broken file is an error here, not a fault in native memory. */
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { excerpt } from '@millhand/model'
import {
  type Compressors,
  type FileMetaData,
  parquetMetadata,
  parquetReadObjects,
  parquetSchema,
  type SchemaTree,
  snappyUncompress,
} from 'hyparquet'
import { ExamplesInvalid } from '../example-set.ts'
import { namedColumns } from './named-columns.ts'
import type { ExampleRecord } from './record.ts'

const MOST_BYTES = 256 * 2 ** 20
/** Values that are read at once: a part of the file is decoded anew for each portion of it. */
const PORTION_VALUES = 4e6

export async function* parquetRows(
  chunks: AsyncIterable<Uint8Array>,
  { mostRows }: { readonly mostRows: number },
): AsyncGenerator<ExampleRecord> {
  const file = await wholeOf(chunks)
  const metadata = attempt(() => checkedMetadata(file))
  const rows = Number(metadata.num_rows)
  // One more is read, which is then the line that is too many.
  const last = Math.min(rows, mostRows + 1)
  const unpackers = unpack()
  const portionRows = Math.ceil(PORTION_VALUES / Math.max(1, valuesOf(metadata) / rows))
  for (let first = 0; first < last; first += portionRows) {
    const end = Math.min(first + portionRows, last)
    const portion = await parquetReadObjects({
      ...{ file, metadata, compressors: unpackers, rowStart: first, rowEnd: end, geoparquet: false },
    }).catch(error => {
      throw broken(error)
    })
    if (portion.length !== end - first) throw broken(new Error(`${portion.length} rows are there after row ${first}`))
    for (const [at, row] of portion.entries()) {
      const fields = Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, cell ?? undefined]))
      yield { line: first + at + 1, fields }
    }
  }
}

const valuesOf = ({ row_groups: groups }: FileMetaData): number =>
  groups
    .flatMap(({ columns }) => columns.map(({ meta_data: column }) => Number(column?.num_values ?? 0)))
    .reduce((a, b) => a + b, 0)

async function wholeOf(chunks: AsyncIterable<Uint8Array>): Promise<ArrayBuffer> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    if (bytes > MOST_BYTES) throw new ExamplesInvalid(`the Parquet file is larger than ${MOST_BYTES / 2 ** 20} MiB`)
    parts.push(chunk)
  }
  return new Uint8Array(Buffer.concat(parts)).buffer
}

/** A file says itself how long its parts are: what cannot be is refused before memory is taken for it. */
function checkedMetadata(file: ArrayBuffer): FileMetaData {
  const metadata = parquetMetadata(file)
  const schema = parquetSchema(metadata)
  namedColumns(schema.children.map(({ element }) => element.name))
  const leaves = leavesOf(schema).toSorted().join('\n')
  let unpacked = 0
  for (const { columns } of metadata.row_groups) {
    // The reader waits for the columns of the schema; what another one rejects with nobody would hear of.
    const found = columns.map(({ meta_data: column }) => column?.path_in_schema.join('.') ?? '')
    if (found.toSorted().join('\n') !== leaves) throw new Error('a part has other columns than the schema')
    for (const { meta_data: column } of columns) {
      if (!column) continue
      unpacked += Number(column.total_uncompressed_size)
      const start = Math.min(Number(column.dictionary_page_offset) || Infinity, Number(column.data_page_offset))
      const end = start + Number(column.total_compressed_size)
      if (Number(column.num_values) < 0 || !(start >= 0) || end > file.byteLength) {
        throw new Error('a column lies outside of the file')
      }
    }
  }
  if (unpacked > MOST_BYTES) throw tooLarge()
  return metadata
}

const leavesOf = (tree: SchemaTree): string[] => {
  const all = ({ children, path }: SchemaTree): string[] =>
    children.length === 0 ? [path.join('.')] : children.flatMap(all)
  return tree.children.flatMap(all)
}

/** A page unpacks to what its header says; those of one portion together to what a file may. */
function unpack(): Compressors {
  const limited = (length: number) => {
    if (!(length >= 0 && length <= MOST_BYTES)) throw tooLarge()
    return { maxOutputLength: Math.max(1, length) }
  }
  return {
    SNAPPY: (input, length) => {
      limited(length)
      const output = new Uint8Array(length)
      snappyUncompress(input, output)
      return output
    },
    GZIP: (input, length) => gunzipSync(input, limited(length)),
    BROTLI: (input, length) => brotliDecompressSync(input, limited(length)),
    ZSTD: (input, length) => zstdDecompressSync(input, limited(length)),
  }
}

const tooLarge = () => new ExamplesInvalid(`the Parquet file unpacks to more than ${MOST_BYTES / 2 ** 20} MiB`)

function attempt<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw broken(error)
  }
}

/** What is no plain error comes of bytes that are not what they are taken for, and its words help nobody. */
function broken(error: unknown): ExamplesInvalid {
  if (error instanceof ExamplesInvalid) return error
  const isPlain = error instanceof Error && error.constructor === Error
  const why = isPlain ? excerpt(error.message, 128) : 'it is cut off, or its parts are not where it says'
  return new ExamplesInvalid(`the Parquet file cannot be read: ${why}`)
}
