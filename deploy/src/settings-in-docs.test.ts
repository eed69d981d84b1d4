/** The documentation has every setting of every process, what each may call, and every metric. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { metricSpecs } from '@millhand/telemetry'
import { readTables, withTable } from './tables.ts'

const METRIC = /(?:millhand|nodejs|process|http_server)_[a-z0-9]+(?:_[a-z0-9]+)+/g

const read = (page: string) => readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8')

for (const table of await readTables())
  test(`docs/${table.page} has the table ${table.head} that \`pnpm generate\` makes`, () => {
    const document = read(table.page)
    assert.equal(withTable(document, table), document)
  })

test('docs/operating.md names no metric that there is not', () => {
  for (const [name] of read('operating.md').matchAll(METRIC))
    assert.ok(name.replace(/_count$/, '') in metricSpecs, name)
})

test('docs/operating.md says of each metric what to do when it is wrong', () => {
  const named = [...read('operating.md').matchAll(METRIC)].map(([name]) => name)
  const inTableAlone = Object.keys(metricSpecs).filter(name => named.filter(each => each === name).length < 2)
  assert.deepEqual(inTableAlone, [])
})
