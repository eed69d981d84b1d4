/** CSV with a header, as RFC 4180 describes it, in UTF-8. Empty cells are missing. */
import { Readable } from 'node:stream'
import { excerpt } from '@millhand/model'
import { CsvError, type Info, parse } from 'csv-parse'
import { ExamplesInvalid } from '../example-set.ts'
import { namedColumns } from './named-columns.ts'
import { type ExampleRecord, MOST_LINE_BYTES } from './record.ts'

export async function* csvRows(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ExampleRecord> {
  const source = Readable.from(textOf(chunks))
  const parser = parse({ bom: true, info: true, skip_empty_lines: true, max_record_size: MOST_LINE_BYTES })
  source.on('error', error => parser.destroy(error))
  source.pipe(parser)
  let names: readonly string[] | undefined
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
      if (!names) {
        names = namedColumns(record.map(name => name.trim()))
        continue
      }
      const fields = Object.fromEntries(names.map((name, at) => [name, emptyToMissing(record[at])]))
      yield { line: info.lines, fields }
    }
  } catch (error) {
    throw error instanceof CsvError ? invalid(error) : error
  } finally {
    source.destroy()
    parser.destroy()
  }
}

/** A byte 0 is in UTF-16 and in binary formats, of which a CSV parser would name some quote. */
async function* textOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    if (chunk.includes(0)) throw new ExamplesInvalid('the file is neither Parquet nor text in UTF-8')
    yield chunk
  }
}

const emptyToMissing = (cell: string | undefined) => (cell?.trim() === '' ? undefined : cell)

function invalid(error: CsvError): ExamplesInvalid {
  const { lines } = error as unknown as { lines?: number }
  return new ExamplesInvalid(`is not CSV: ${excerpt(error.message, 200)}`, {
    ...(lines !== undefined && { line: lines }),
    needsMore: error.code === 'CSV_QUOTE_NOT_CLOSED',
  })
}
