/** JSON Lines: one JSON object a line, in UTF-8 (jsonlines.org). Empty lines are passed over. */
import { excerpt, isObject } from '@millhand/model'
import { ExamplesInvalid } from '../example-set.ts'
import { type ExampleRecord, MOST_LINE_BYTES } from './record.ts'

export async function* jsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ExampleRecord> {
  let line = 1
  let rest: Buffer[] = []
  let restBytes = 0
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      requireLength(restBytes + end - start, line)
      yield* recordOf(Buffer.concat([...rest, bytes.subarray(start, end)]), line)
      rest = []
      restBytes = 0
      start = end + 1
      line += 1
    }
    if (start === bytes.length) continue
    rest.push(bytes.subarray(start))
    restBytes += bytes.length - start
    requireLength(restBytes, line)
  }
  yield* recordOf(Buffer.concat(rest), line)
}

const NEWLINE = 0x0a

const decoder = new TextDecoder('utf-8', { fatal: true })

function* recordOf(bytes: Buffer, line: number): Generator<ExampleRecord> {
  const text = decode(bytes, line).trim()
  if (text === '') return
  const fields = parse(text, line)
  if (!isObject(fields))
    throw new ExamplesInvalid('must be a JSON object with `input` and `label` or `target`', { line })
  yield { line, fields }
}

function decode(bytes: Buffer, line: number): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new ExamplesInvalid('is not UTF-8', { line })
  }
}

function parse(text: string, line: number): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ExamplesInvalid(`is not JSON: ${excerpt((error as Error).message, 128)}`, { line })
  }
}

function requireLength(bytes: number, line: number): void {
  if (bytes > MOST_LINE_BYTES) throw new ExamplesInvalid(`is longer than ${MOST_LINE_BYTES / 2 ** 20} MiB`, { line })
}
