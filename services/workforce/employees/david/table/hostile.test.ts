/** Tables that are made to do harm: refused, taken for what they are, or ended with the process that reads them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Loaded, RunnerGone } from '@millhand/child-process'
import { createLog } from '@millhand/telemetry'
import { readCatalogue } from '../../src/catalogue.ts'
import { kindRunner, loadableKinds } from '../../src/runner/kind-runner.ts'
import { type Claims, parquetFile, run } from './parquet.fixture.ts'
import { packed, rowsXml, workbook } from './xlsx.fixture.ts'

const runner = kindRunner({ memoryLimitBytes: 768 * 2 ** 20, log: createLog({ level: 'error', write: () => {} }) })
const kind = loadableKinds(readCatalogue()).get('david/analyze_data')
assert.ok(kind?.status === 'ready')
const load = () => runner.load(kind, new AbortController().signal)

/** What comes of a brief in a process as the product has them. */
async function analysed(process: Loaded, input: object, file?: { name: string; bytes: Uint8Array }) {
  const brief = { topic: '', tone: '', constraints: {}, seed: 1, input }
  const files = file ? [{ mediaType: 'application/octet-stream', ...file }] : []
  const { items } = await process.run([{ input: JSON.stringify(brief), parameters: { engine: 'rules' }, files }])
  const [item] = items
  if (!item?.ok) return { fault: item?.code, message: item?.message ?? '' }
  assert.ok('outputOf' in item)
  const written = item.artifacts.map(({ name, bytes }) => `${name}\n${Buffer.from(bytes)}`)
  const output = item.outputOf(item.artifacts.map((_, at) => `file_${at}`))
  return { result: JSON.parse(output).result, checks: JSON.parse(output).checks, all: [output, ...written].join('\n') }
}

describe('in a process of analyses', () => {
  let process: Loaded
  before(async () => {
    process = await load()
  })
  after(() => process.kill())

  const parquet = (claims: Claims) => ({ name: 'table.parquet', bytes: parquetFile(claims) })

  it('a Parquet file of one text a thousand times, which lies in a dictionary, is read', async () => {
    const page = run(1_000)
    const { result } = await analysed(process, {}, parquet({ rows: 1_000, page, dictionary: 'x'.repeat(50_000) }))
    assert.deepEqual([result.rows, result.columns[0].distinct], [1_000, 1])
  })

  it('a workbook is read, and one that unpacks to 200 MB is refused', async () => {
    const sheet = workbook({
      A: rowsXml([
        ['a', 'b'],
        [1, 'x'],
        [2, 'y'],
      ]),
    })
    const { result } = await analysed(process, {}, { name: 'a.xlsx', bytes: packed(sheet) })
    assert.deepEqual([result.rows, result.columns[0].numbers.most], [2, 2])
    const bomb = packed({ ...sheet, 'xl/sharedStrings.xml': ' '.repeat(200_000_000) })
    const { fault, message } = await analysed(process, {}, { name: 'a.xlsx', bytes: bomb })
    assert.deepEqual([fault, /64 MiB/.test(message ?? '')], ['brief_refused', true])
  })

  it('a workbook of 8,000 forms of numbers that never end is read', async () => {
    const codes = Array.from(
      { length: 8_000 },
      (_, at) => `<numFmt numFmtId="${at}" formatCode="${'['.repeat(2_000)}"/>`,
    )
    const parts = workbook({ A: rowsXml([['a'], [1]]) })
    const styles = `${parts['xl/styles.xml']}`.replace('</numFmts>', `${codes.join('')}$&`)
    const bytes = packed({ ...parts, 'xl/styles.xml': styles })
    const { result } = await analysed(process, {}, { name: 'a.xlsx', bytes })
    assert.equal(result.rows, 1)
  })

  for (const [what, input, file, words] of [
    ['a Parquet file that claims a billion rows', {}, parquet({ rows: 1e9, page: run(1e9) }), /1,000,000 rows/],
    ['a million columns', { csv: `${'a,'.repeat(1e6)}\n1` }, undefined, /1,000 columns/],
    ['a cell of 60 MB', {}, { name: 'a.csv', bytes: Buffer.from(`a\n${'x'.repeat(60e6)}`) }, /100,000 characters/],
    ['60 MB of quotes', {}, { name: 'a.csv', bytes: Buffer.from(`a\n${'"'.repeat(60e6)}`) }, /100,000 characters/],
    ['a quote that never ends', { csv: `a\n"${'x'.repeat(1e6)}` }, undefined, /100,000 characters/],
    ['JSON a million deep', { json: `[{"a":${'['.repeat(1e6)}` }, undefined, /can't be read/],
    ['JSON that is deep and whole', { json: `[{"a":${'['.repeat(1e5)}${']'.repeat(1e5)}}]` }, undefined, /./],
  ] as const)
    it(`${what} is refused`, async () => {
      const { fault, message = '' } = await analysed(process, input, file)
      assert.equal(fault, 'brief_refused')
      assert.match(message, words)
    })

  it('a file whose name is a path is read as what it holds, and nothing else is', async () => {
    for (const name of [
      '../../../etc/hostname',
      '/etc/passwd',
      'C:\\secrets.csv',
      "x' OR read_text('/etc/hostname')",
    ]) {
      const { result, all } = await analysed(process, {}, { name, bytes: Buffer.from('a,b\n1,2\n3,4\n') })
      assert.equal(result.rows, 2)
      assert.doesNotMatch(all ?? '', /root:|passwd|hostname|secrets/)
    }
  })

  it('functions, orders and other tables are words in names and cells', async () => {
    const nasty = [
      `x" FROM read_text('/etc/passwd') --`,
      "read_csv('/etc/passwd')",
      "'; COPY data TO '/tmp/stolen'; --",
      "ATTACH '/tmp/other.db' AS other",
      'INSTALL httpfs; LOAD httpfs',
      "(SELECT content FROM read_text('/proc/self/environ'))",
      '*',
      'data',
    ]
    const rows = Array.from({ length: 160 }, (_, i) =>
      Object.fromEntries(
        nasty.map((name, c) => [name, c % 2 === 0 ? nasty[(i + c) % nasty.length] : (i * (c + 3)) % 17]),
      ),
    )
    const { result, checks, all } = await analysed(process, { rows })
    assert.deepEqual(
      result.columns.map(({ name }: { name: string }) => name),
      nasty,
    )
    assert.deepEqual(
      checks.filter(({ pass }: { pass: boolean }) => !pass),
      [],
    )
    assert.doesNotMatch(all ?? '', /root:x?:|PATH=/)
  })
})

for (const [what, claims] of [
  ['page says that it has a billion values', { rows: 1_000, pageValues: 1e9, page: [0], dictionary: 'x' }],
  ['text of 100 kB stands in it a million times', { rows: 1e6, page: run(1e6), dictionary: 'x'.repeat(1e5) }],
  ['run says that it is a billion values long', { rows: 1_000, page: run(1e9), dictionary: 'x' }],
] as const)
  it(`a Parquet file whose ${what} costs the process that reads it, and no more`, async () => {
    const process = await load()
    const file = { name: 'table.parquet', bytes: parquetFile(claims) }
    const end = await analysed(process, {}, file).catch((error: unknown) => error)
    assert.ok(
      end instanceof RunnerGone ? end.reason === 'out_of_memory' : 'fault' in Object(end),
      end instanceof Error ? end.message : JSON.stringify(end),
    )
    await process.kill()
  })
