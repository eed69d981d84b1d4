import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { collected } from '../driver.contract.ts'
import { linesAfter } from '../line-ids.ts'
import { logLines } from './log-lines.ts'

function frame(stream: 1 | 2, payload: string): Buffer {
  const header = Buffer.alloc(8)
  header[0] = stream
  header.writeUInt32BE(Buffer.byteLength(payload), 4)
  return Buffer.concat([header, Buffer.from(payload)])
}

const bytes = Buffer.concat([
  frame(1, '2026-01-01T00:00:00.1Z one\n'),
  frame(1, '2026-01-01T00:00:00.12Z two '),
  frame(2, '2026-01-01T00:00:00.13Z err\n'),
  frame(1, '2026-01-01T00:00:00.12Z halves\n'),
  frame(1, '2026-01-01T00:00:00.12Z same time\n'),
  frame(1, '2026-01-01T00:00:00.2Z ünfinished'),
])
const expected = [
  ['2026-01-01T00:00:00.1Z', 'stdout', 'one'],
  ['2026-01-01T00:00:00.13Z', 'stderr', 'err'],
  ['2026-01-01T00:00:00.12Z', 'stdout', 'two halves'],
  ['2026-01-01T00:00:00.12Z#1', 'stdout', 'same time'],
  ['2026-01-01T00:00:00.2Z', 'stdout', 'ünfinished'],
]

describe('lines of a container', () => {
  it('are the same however the stream is cut', async () => {
    for (let size = 1; size <= bytes.length; size += 7) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, at * size + size),
      )
      const lines = await collected(logLines(Readable.from(chunks)))
      assert.deepEqual(
        lines.map(({ id, stream, text }) => [id, stream, text]),
        expected,
      )
    }
  })

  it('go on after an id', async () => {
    const ids = async (after: string) =>
      (await collected(linesAfter(after, logLines(Readable.from([bytes]))))).map(({ text }) => text)
    assert.deepEqual(await ids('2026-01-01T00:00:00.12Z'), ['err', 'same time', 'ünfinished'])
    assert.deepEqual(await ids('2026-01-01T00:00:00.120000001Z'), ['err', 'ünfinished'])
  })
})
