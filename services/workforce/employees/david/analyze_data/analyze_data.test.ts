/** Tables as they are asked about, and what is told of them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Refusal } from '../../src/brief.ts'
import { trend } from '../analysis/effects/trend.ts'
import { sampleOf } from '../analysis/sample.ts'
import { typed } from '../table/columns.ts'
import { withDatabase } from '../table/database.ts'
import { readRows } from '../table/json.ts'
import { analysed, ask, waves } from './analysis.fixture.ts'
import { checks } from './checks.ts'

describe('an analysis', () => {
  it('tells each finding with its query, value and probability, the strongest first', async () => {
    const { answer, failed, artifacts } = await ask({
      rows: waves(200, i => ({
        a: Math.sin(i * 7.3),
        b: 3 * Math.sin(i * 7.3) + Math.cos(i * 91.7),
        c: Math.cos(i * 3.1),
      })),
    })
    const [finding] = answer.result.findings
    assert.ok(finding)
    assert.deepEqual([finding.kind, finding.columns], ['correlation', ['a', 'b']])
    assert.equal(finding.value, finding.values.correlation)
    assert.match(finding.sql, /^SELECT corr/)
    assert.ok(finding.test.p_adjusted < 0.01)
    assert.match(answer.text, /a and b rise together/)
    assert.ok(artifacts.get('correlation-1.svg')?.startsWith('<svg'))
    assert.deepEqual(failed, [])
  })

  it('tells what spoils the data after the strongest, and lists differences by the measure that they have', async () => {
    const rows = waves(240, i => ({
      a: i === 100 ? 9000 : Math.sin(i * 7.3),
      b: Math.sin(i * 7.3) + Math.cos(i * 91.7) / 9,
      c: i % 3 === 0 && i % 5 < 3 ? null : Math.cos(i * 3.1),
      third: `third ${i % 3}`,
      // Of the variance of the values nearly all lies between these groups, of that of the ranks little.
      wild: i % 40 === 0 ? 1e6 : Math.sin(i * 5.1),
      fortieth: i % 40 === 0 ? 'yes' : 'no',
      mild: (i % 3) + Math.sin(i * 1.7),
    }))
    const { findings, group_differences: differences } = (await ask({ rows })).answer.result
    const kinds = findings.map(({ kind }) => kind)
    assert.equal(kinds[0], 'correlation')
    assert.deepEqual(kinds.slice(-2), ['outliers', 'missing'])
    const epsilons = differences.map(({ epsilon }) => epsilon)
    assert.deepEqual(
      epsilons,
      epsilons.toSorted((x, y) => y - x),
    )
    const finding = findings.find(({ kind, columns }) => kind === 'difference' && columns[0] === 'mild')
    assert.equal(finding?.strength.value, differences.find(({ columns }) => columns[0] === 'mild')?.epsilon)
  })

  it('has one finding about missing values, with the worst columns, after those about the data', async () => {
    const gap = (of: number, i: number) => (i % 4 === 0 && i % (5 + of) < 4 ? null : Math.sin(i * (of + 1.3)))
    const rows = waves(400, i => ({
      place: i % 4 === 0 ? 'north' : 'south',
      ...Object.fromEntries(Array.from({ length: 30 }, (_, of) => [`reading ${of}`, gap(of, i)])),
      sold: (i % 4 === 0 ? 2 : 0) + Math.cos(i * 3.7),
    }))
    const { answer, failed } = await ask({ rows })
    const { findings } = answer.result
    assert.equal(findings[0]?.kind, 'difference')
    const missing = findings.filter(({ kind }) => kind === 'missing')
    assert.equal(missing.length, 1)
    assert.match(
      missing[0]?.statement ?? '',
      /In several columns values are missing by a pattern, most in reading \d+ \(\d+ rows\), /,
    )
    assert.equal(missing[0]?.statement.match(/rows\)/g)?.length, 5)
    const counts = Map.groupBy(findings, ({ kind }) => kind)
    assert.ok([...counts.values()].every(those => those.length <= 4))
    assert.deepEqual(failed, [])
  })

  it('draws what its findings say: outliers marked and named, a course in spans that are said, groups by their names', async () => {
    const day = (i: number) => new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10)
    const course = (i: number) => i + 30 * Math.sin(i * 3.1)
    const rows = waves(240, i => ({
      day: day(i),
      far: i === 100 ? 990 : 40 + 9 * Math.sin(i * 7.3),
      course: course(i),
      shop: i % 2 ? 'north' : 'south',
      sold: (i % 2) + Math.sin(i * 1.7),
    }))
    const { answer, artifacts, failed } = await ask({ rows })
    assert.deepEqual(failed, [])
    const textsOf = (kind: string) => {
      const { id } = answer.result.findings.find(finding => finding.kind === kind) ?? {}
      const svg = artifacts.get(`${id}.svg`) ?? ''
      assert.match(svg, /<rect width="720" height="360" x="0" y="0" fill="#ffffff">/)
      return [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text)
    }
    assert.ok(['0', '200', '1,000', '990'].every(text => textsOf('outliers').includes(text)))
    assert.ok(textsOf('trend').includes('course: mean of each 7 days; dashed: medians of the first and last third'))
    assert.ok(['sold by shop: medians', '“north”', '“south”'].every(text => textsOf('difference').includes(text)))
    const { chart } = answer.result.findings.find(({ kind }) => kind === 'trend') ?? {}
    assert.deepEqual(
      chart?.points.slice(0, 2).map(({ label }) => label),
      ['2026-01-01', '2026-01-08'],
    )
    const first = [0, 1, 2, 3, 4, 5, 6].reduce((sum, i) => sum + course(i) / 7, 0)
    assert.ok(Math.abs((chart?.points[0]?.value ?? 0) - first) < 1e-9)
  })

  it('whose numbers are changed fails its check', async () => {
    const { brief, answer } = await ask({ rows: waves(60, i => ({ a: i % 7, b: (i * i) % 11 })) })
    const [first, ...others] = answer.result.columns
    assert.ok(first?.numbers)
    const changed = { ...first, numbers: { ...first.numbers, mean: first.numbers.mean + 1e-9 } }
    const measured = await checks(brief, { ...answer, result: { ...answer.result, columns: [changed, ...others] } })
    assert.deepEqual(
      measured.filter(({ pass }) => !pass).map(({ id, value }) => [id, value]),
      [['no_numbers_other_than_their_query', 1]],
    )
  })

  it('fails exactly the check that sees what is wrong', async () => {
    const { brief, answer } = await ask({
      rows: waves(60, i => ({ a: Math.sin(i * 7.3), b: Math.sin(i * 7.3) + (i % 3) / 9 })),
    })
    const [first, ...others] = answer.result.findings
    const { result } = answer
    assert.ok(first)
    const changed: Readonly<Record<string, Partial<typeof result>>> = {
      rows: { rows: result.rows + 1 },
      no_numbers_other_than_their_query: { findings: [{ ...first, value: first.value / 2 }, ...others] },
      no_findings_above_the_level: { findings: [{ ...first, test: { ...first.test, p_adjusted: 0.5 } }, ...others] },
    }
    assert.deepEqual(
      (await checks(brief, answer)).map(({ id }) => id),
      Object.keys(changed),
    )
    for (const [id, change] of Object.entries(changed)) {
      const measured = await checks(brief, { ...answer, result: { ...result, ...change } })
      assert.deepEqual(
        measured.flatMap(check => (check.pass ? [] : check.id)),
        [id],
      )
    }
  })

  it('of a table in which nothing is to be told says so', async () => {
    for (const csv of ['a\n1\n', 'a,b\n1,x\n1,x\n1,x\n', 'a\n""\nx\n', 'a,b\n,\n1,\n']) {
      const { answer, failed } = await ask({ csv })
      assert.deepEqual(answer.result.findings, [], csv)
      assert.match(answer.text, /No finding/)
      assert.deepEqual(failed, [])
    }
  })

  it('looks at the columns named, and takes the time from the one named', async () => {
    const csv = `year,x,y\n${waves(40, i => ({ i }))
      .map((_, i) => `${1980 + i},${i + (i % 3)},z`)
      .join('\n')}`
    const { answer } = await ask({ csv, columns: ['year', 'x'], time_column: 'year' })
    assert.equal(answer.result.columns.length, 2)
    assert.equal(answer.result.findings[0]?.kind, 'trend')
    await assert.rejects(analysed({ csv, columns: ['z'] }), Refusal)
    await assert.rejects(analysed({ csv, time_column: 'y' }), Refusal)
  })

  it('takes years for times, and the numbers of rows for none', async () => {
    const rows = waves(120, i => ({ row: i + 1, year: 1900 + i, price: 5 + i / 10 + Math.sin(i * 7.3) }))
    const { findings } = (await ask({ rows })).answer.result
    assert.deepEqual(
      findings.map(({ kind, columns }) => [kind, ...columns]),
      [['trend', 'price', 'year']],
    )
  })

  it('says of groups which way they differ, whatever wild values do to their means', async () => {
    const rows = waves(400, i => ({ group: i % 2 ? 'a' : 'b', x: i % 20 === 1 ? -9000 : i % 2 && i % 8 < 4 ? 1 : 0 }))
    const { answer, failed } = await ask({ rows })
    const [difference] = answer.result.findings.filter(({ kind }) => kind === 'difference')
    assert.ok(difference && (difference.values.higher ?? 0) > (difference.values.lower ?? 0))
    assert.match(difference.statement, /highest where group is .a. \(mean rank/)
    assert.deepEqual(failed, [])
  })

  it('says which way a course goes, also where its ends say something else', async () => {
    const day = (i: number) => new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10)
    const rows = waves(300, i => ({ day: day(i), x: (i % 100) - Math.floor(i / 100) * 2 }))
    const table = typed(readRows(rows, 'rows'))
    const { numbers, axis } = sampleOf(table, undefined)
    const [course] = axis ? numbers.flatMap(column => trend(column, axis) ?? []) : []
    assert.ok(course)
    const { statement, values } = await withDatabase(table, course.tell)
    assert.ok((values.correlation ?? 0) > 0.2)
    assert.match(statement, /x rises with day: rank correlation 0\.\d+ in 300 moments/)
  })

  it('of rows that must come again does not take them for copies', async () => {
    const item = (i: number) => (i * i + 3 * i) % 37
    const rows = waves(400, i => ({
      sku: `s${item(i)}`,
      name: `n${item(i)}`,
      price: 3 + item(i) * 1.5,
      weight: 100 + item(i) * 7,
      color: `c${item(i) % 5}`,
      shelf: `f${(i * 7) % 11}`,
    }))
    const { findings, duplicates } = (await ask({ rows })).answer.result
    assert.ok(duplicates.rows > 10)
    assert.deepEqual(
      findings.filter(({ kind }) => kind === 'duplicates'),
      [],
    )
  })
})
