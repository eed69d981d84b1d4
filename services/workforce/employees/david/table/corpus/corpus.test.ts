/** Small tables in the ways that programs and people write them: each is read as it is meant, or with a warning that says where. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Brief } from '../../../src/brief.ts'
import { typed } from '../columns.ts'
import { readTable, type TableInput } from '../sources.ts'
import { alike } from './alike.fixture.ts'
import { amounts } from './amounts.fixture.ts'
import { banks } from './banks.fixture.ts'
import type { Case } from './case.fixture.ts'
import { pandasAndR } from './pandas-and-r.fixture.ts'
import { periods } from './periods.fixture.ts'
import { programs } from './programs.fixture.ts'
import { spreadsheets } from './spreadsheets.fixture.ts'
import { standIns } from './stand-ins.fixture.ts'

/** Each column as `name type: values`. */
async function read({ file, name = 'table.csv', input = {} }: Case) {
  const bytes = typeof file === 'string' ? Buffer.from(file) : file
  const files = bytes ? [{ name, media_type: 'application/octet-stream', bytes }] : []
  const brief: Brief<TableInput> = { topic: '', tone: '', constraints: {}, seed: 1, input, files }
  const { columns, warnings } = typed(await readTable(brief), undefined, input)
  return {
    warnings,
    columns: columns.map(column => {
      const values =
        column.type === 'number'
          ? Array.from(column.values, String)
          : column.type === 'time'
            ? Array.from(column.values, timeSaid)
            : Array.from(column.codes, code => column.levels[code] ?? 'NaN')
      return `${column.name} ${column.type}: ${values.slice(0, 4).join(' | ')}`
    }),
  }
}

const timeSaid = (at: number) =>
  Number.isNaN(at) ? 'NaN' : new Date(at).toISOString().replace('T00:00:00.000Z', '').replace('.000Z', '')

for (const one of [
  ...spreadsheets,
  ...programs,
  ...pandasAndR,
  ...banks,
  ...periods,
  ...amounts,
  ...alike,
  ...standIns,
])
  it(one.what, async () => {
    const { columns, warnings } = await read(one)
    assert.deepEqual(columns, one.columns, warnings.join('\n'))
    const { warned = [] } = one
    for (const words of warned) assert.match(warnings.join('\n'), words)
    // What was read as it is meant needs no word.
    assert.equal(warnings.length, warned.length, warnings.join('\n'))
  })
