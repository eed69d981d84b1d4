/** Whole numbers that are flags, codes, strata or counts. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Refusal } from '../../src/brief.ts'
import { ask, rows } from './findings.fixture.ts'

describe('whole numbers that measure nothing', () => {
  const births = rows(240, i => ({
    low: i % 3 === 0 ? 1 : 0,
    race: 1 + ((i * 7) % 3),
    month: 1 + (i % 12),
    chick: 1 + Math.floor(i / 8),
    weight: 3000 - (i % 3 === 0 ? 800 : 0) + 100 * Math.sin(i * 7.3),
  }))

  it('are categories, with a warning that says why', async () => {
    const { columns, warnings, of, text, correlations } = await ask({ rows: births })
    assert.deepEqual(
      columns.map(({ type }) => type),
      ['category', 'category', 'category', 'category', 'number'],
    )
    assert.deepEqual(correlations, [])
    assert.match(warnings.join('\n'), /"low" is read as a category, as it holds only 0 and 1\..*`measure_columns`/)
    assert.match(warnings.join('\n'), /"race" is .* few whole numbers/)
    assert.match(warnings.join('\n'), /"month" is .* called like a code/)
    assert.match(warnings.join('\n'), /"chick" is .* numbers the groups that the rows stand in/)
    assert.match(
      of('difference', 'weight', 'low')[0]?.statement ?? '',
      /highest where low is “0”.*lowest where low is “1”/,
    )
    assert.match(text, /these are 1: low in 80 of 240 rows/)
  })

  it('are texts where they number groups of few rows, as the strata of R’s infert', async () => {
    const strata = rows(248, i => {
      const stratum = 1 + (i % 83)
      return {
        age: 21 + ((stratum * 11) % 24),
        parity: 1 + ((stratum * 7) % 6),
        stratum,
        'pooled.stratum': 1 + ((stratum - 1) % 63),
        'block no': 1 + Math.floor(i / 2),
        spending: 20 + stratum + Math.sin(i * 7.3),
      }
    })
    const { columns, warnings, findings, correlations } = await ask({ rows: strata })
    assert.deepEqual(
      columns.map(({ type }) => type),
      ['number', 'number', 'text', 'text', 'text', 'number'],
    )
    assert.match(
      warnings.join('\n'),
      /"stratum", "pooled\.stratum", "block no" are read as text, as they are called like codes, with few rows of each value\. Name them in `measure_columns` if they measure something\./,
    )
    for (const { columns: of } of [...findings, ...correlations])
      assert.ok(!of.some(name => /stratum|block/.test(name)), of.join())
    const asked = await ask({ rows: strata, measure_columns: ['stratum'] })
    assert.equal(asked.columns[2]?.type, 'number')
  })

  it('are measures where a column called like a code counts', async () => {
    const { columns } = await ask({
      rows: rows(60, i => ({ customer: 900 + ((i * 37) % 61), subject: 1 + (i % 4) + 0.5, order: Math.sin(i) })),
    })
    assert.deepEqual(
      columns.map(({ type }) => type),
      ['number', 'number', 'number'],
    )
  })

  it('are measures where the input says so', async () => {
    const { columns, warnings } = await ask({ rows: births, measure_columns: ['low', 'race', 'month', 'chick'] })
    assert.ok(columns.every(({ type }) => type === 'number'))
    assert.doesNotMatch(warnings.join('\n'), /measure_columns/)
    await assert.rejects(ask({ rows: births, measure_columns: ['lows'] }), Refusal)
  })

  it('are not taken for flags and codes where they are counts, grades or few', async () => {
    const { columns } = await ask({
      rows: rows(60, i => ({ orders: (i * 7) % 9, grade: 1 + (i % 5), signed: (i % 3) - 1, sold: 100 + (i % 3) })),
    })
    assert.ok(columns.every(({ type }) => type === 'number'))
  })

  it('have shares of 1, not of 0', async () => {
    const { of } = await ask({
      rows: rows(400, i => ({ smoke: i % 4 ? 1 : 0, low: (i * 7) % 10 < (i % 4 ? 9 : 5) ? 1 : 0, week: `w${i % 3}` })),
    })
    assert.match(of('association', 'smoke', 'low')[0]?.statement ?? '', /^Where smoke is “1”, low is “1” in /)
  })

  it('are the time once more', async () => {
    const { findings, warnings } = await ask({
      rows: rows(240, i => {
        const [month, place] = [i >> 1, i % 2]
        const day = new Date(Date.UTC(2000, month, 1))
        return {
          day: day.toISOString().slice(0, 10),
          place: place ? 'a' : 'b',
          date: 2000 + month / 12,
          price: 5 + Math.sin(i * 7.3),
        }
      }),
    })
    assert.deepEqual(findings, [])
    assert.match(warnings.join('\n'), /"date" says the time that "day" has: it is no measure/)
  })
})

it('reads the numbers of strata as categories, by whatever name designs give them', async () => {
  const rows = Array.from(
    { length: 120 },
    (_, at) => `${(at % 6) + 1},${(at % 6) * 10 + ((at * 7) % 11)},${(at * 13) % 17}`,
  )
  for (const name of ['strat', 'PSU', 'matched_set', 'stratum2', 'zone', 'sector']) {
    const { findings, warnings } = await ask({ csv: `${name},income,spend\n${rows.join('\n')}\n` })
    assert.ok(!findings.some(({ kind, columns }) => kind === 'correlation' && columns.includes(name)), name)
    assert.match(warnings.join('\n'), new RegExp(`"${name}" is read as a category`))
  }
})

it('reads what is counted or measured per group as a number', async () => {
  const csv = Array.from({ length: 120 }, (_, at) => `${(at % 6) + 3},${(at * 13) % 17}`).join('\n')
  for (const name of [
    'income_per_household',
    'people_in_household',
    'revenue_per_family',
    'calls_per_sector',
    'costPerZone',
    'reading_set',
    'score_section',
    'sales by store',
    'rooms_of_hospital',
    'household',
  ]) {
    const { columns } = await ask({ csv: `${name},spend\n${csv}\n` })
    assert.equal(columns[0]?.type, 'number', name)
  }
})
