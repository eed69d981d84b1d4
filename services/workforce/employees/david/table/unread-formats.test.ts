import assert from 'node:assert/strict'
import { it } from 'node:test'
import { strToU8, zipSync } from 'fflate'
import { Refusal } from '../../src/brief.ts'
import { readFile } from './sources.ts'

const latin = (text: string) => Uint8Array.from(text, letter => letter.charCodeAt(0))
const zip = (...names: string[]) => zipSync(Object.fromEntries(names.map(name => [name, strToU8('<a/>')])))
const READ = /CSV, TSV, JSON, JSON Lines, Parquet or \.xlsx\.$/

for (const [what, bytes, says] of [
  ['an SQLite database', latin(`SQLite format 3\0${'\0'.repeat(84)}`), /^"a\.bin" is an SQLite database, which is not/],
  ['a packed file', latin('\x1f\x8b\x08\0'), /^"a\.bin" is packed/],
  ['a PDF', latin('%PDF-1.7\n'), /^"a\.bin" is a PDF/],
  ['an Arrow file', latin('ARROW1\0\0'), /^"a\.bin" is of a format that is not read/],
  ['an archive of a table', zip('a.csv'), /^The file is an archive/],
  ['bytes', latin('\x01\0\x02\0'), /^"a\.bin" is no text/],
] as const)
  it(`${what} is refused with what it is, and the formats that are read`, async () => {
    const refused = async () => readFile({ name: 'a.bin', media_type: 'application/octet-stream', bytes }, {})
    await assert.rejects(refused, (error: unknown) => {
      assert.ok(error instanceof Refusal && error.param === 'files')
      assert.match(error.message, says)
      assert.match(error.message, READ)
      return true
    })
  })

it('a table whose first column begins with PARE is no encrypted Parquet file', async () => {
  const { names } = await readFile({ name: 'a.csv', media_type: 'text/csv', bytes: latin('PARENT,NAME\n1,a\n') }, {})
  assert.deepEqual(names, ['PARENT', 'NAME'])
})

for (const [what, bytes, says] of [
  ['OpenDocument', zip('content.xml', 'META-INF/manifest.xml'), /OpenDocument file \(\.ods\).*\.xlsx or CSV/],
  ['.xlsb', zip('[Content_Types].xml', 'xl/workbook.bin'), /no \.xlsx workbook.*saved as \.xlsb. Save it as \.xlsx/],
] as const)
  it(`a workbook as ${what} is refused with the format to save it in`, async () => {
    const refused = async () => readFile({ name: 'a.bin', media_type: 'application/octet-stream', bytes }, {})
    await assert.rejects(refused, says)
  })
