/** Tables as they are asked about, and what is told of them. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { type Brief, Refusal } from '../../src/brief.ts'
import { faultsOf } from '../../src/run-rules.ts'
import { trend } from '../analysis/effects/trend.ts'
import type { AnalysisInput } from '../analysis/input.ts'
import { sampleOf } from '../analysis/sample.ts'
import { typed } from '../table/columns.ts'
import { withDatabase } from '../table/database.ts'
import { readRows } from '../table/json.ts'
import { checks } from './checks.ts'
import { rules } from './engine.ts'

const [inputSchema, outputSchema] = ['input', 'output'].map(name =>
  JSON.parse(readFileSync(new URL(`${name}.schema.json`, import.meta.url), 'utf8')),
)
const briefOf = (input: AnalysisInput): Brief<AnalysisInput> => ({
  topic: '',
  tone: '',
  constraints: {},
  files: [],
  seed: 1,
  input,
})

const analysed = async (input: AnalysisInput) => rules(briefOf(input))

async function ask(input: AnalysisInput) {
  assert.equal(faultsOf(inputSchema, input), undefined)
  const brief = briefOf(input)
  const answer = await rules(brief)
  assert.equal(faultsOf(outputSchema, answer.result), undefined)
  const artifacts = new Map(answer.artifacts?.map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)]))
  return {
    brief,
    answer,
    artifacts,
    failed: (await checks(brief, answer)).filter(({ pass }) => !pass).map(({ id }) => id),
  }
}

const waves = (count: number, row: (i: number) => object) => Array.from({ length: count }, (_, i) => row(i))

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

  const daily = (row: (i: number) => object, days = 300) =>
    waves(days, i => ({ day: new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10), ...row(i) }))
  const linkOf = (of: readonly { columns: readonly string[] }[], ...names: string[]) =>
    of.filter(({ columns }) => columns.length === 2 && names.every(name => columns.includes(name)))

  it('of two columns that rise with time tells what goes together apart from it, and nothing else', async () => {
    const { answer, failed } = await ask({
      rows: daily(i => ({
        members: i + 40 * Math.sin(i * 7.3),
        prices: i + 40 * Math.cos(i * 91.7),
        visits: i + 40 * Math.sin(i * 7.3) + 5 * Math.cos(i * 3.1),
      })),
    })
    const { findings, explained } = answer.result
    assert.deepEqual(linkOf(findings, 'members', 'prices'), [])
    const [apparent] = explained.filter(({ columns }) => columns.includes('members') && columns.includes('prices'))
    assert.equal(apparent?.by, 'day')
    assert.ok(Math.abs(apparent.values.apart_from_time ?? 1) < 0.15)
    assert.match(answer.text, /members and prices only seem to rise together/)
    const [real] = findings.filter(({ columns }) => columns.includes('members') && columns.includes('visits'))
    assert.match(real?.statement ?? '', /rise together .*the link remains apart from that \(0\.9/)
    assert.deepEqual(failed, [])
  })

  it('takes two lines, two curves and two waves of a year for what the time makes of them', async () => {
    for (const [first, second] of [
      [(i: number) => 3 + 0.1 * i, (i: number) => 900 - 0.7 * i],
      [(i: number) => i ** 2, (i: number) => i ** 3],
      [
        (i: number) => 9 * Math.sin(i / 30) + 3 * Math.sin(i * 7.3),
        (i: number) => 9 * Math.sin(i / 30) + 3 * Math.cos(i * 91.7),
      ],
    ] as const) {
      const { findings, explained } = (await ask({ rows: daily(i => ({ a: first(i), b: second(i) })) })).answer.result
      assert.deepEqual(linkOf(findings, 'a', 'b'), [], String(first))
      assert.ok(explained.every(({ by }) => by === 'day'))
    }
  })

  it('calls no correlation explained that is as weak within the groups as it was', async () => {
    const rows = waves(3000, i => ({
      grade: ['A', 'B', 'C'][i % 3],
      depth: Math.sin(i * 7.3),
      length: Math.cos(i * 91.7) + 0.05 * Math.sin(i * 7.3),
    }))
    const { explained } = (await ask({ rows })).answer.result
    assert.deepEqual(linkOf(explained, 'depth', 'length'), [])
  })

  it('tells of a correlation that turns round within groups, and leaves out one that the groups make', async () => {
    const rows = waves(240, i => {
      const place = i % 3
      const x = Math.sin(i * 7.3)
      return {
        department: ['A', 'B', 'C'][place],
        hours: 10 * place + 2 * x,
        errors: 10 * place - 2 * x + 0.5 * Math.cos(i * 3.1),
        height: 2 * place + Math.cos(i * 91.7),
        weight: 2 * place + Math.cos(i * 37.1),
      }
    })
    const { answer, failed } = await ask({ rows })
    const { findings, explained } = answer.result
    const [turned] = findings.filter(({ columns }) => columns.includes('hours') && columns.includes('errors'))
    assert.match(
      turned?.statement ?? '',
      /^Taken all together hours and errors rise together .* among rows with the same department they run against each other \(-0\.9.*The total misleads/,
    )
    assert.equal(turned?.value, turned?.values.within_groups)
    assert.deepEqual(linkOf(findings, 'height', 'weight'), [])
    assert.ok(explained.some(({ columns, by }) => columns.includes('height') && by === 'department'))
    assert.deepEqual(failed, [])
  })

  it('does not take bands of a column for what makes its correlations', async () => {
    const age = (i: number) => 20 + ((i * 37) % 60)
    const rows = waves(400, i => ({
      age: age(i),
      band: `${Math.floor(age(i) / 5) * 5}s`,
      income: age(i) + 40 * Math.sin(i * 7.3),
    }))
    const { findings } = (await ask({ rows })).answer.result
    assert.equal(
      linkOf(
        findings.filter(({ kind }) => kind === 'correlation'),
        'age',
        'income',
      ).length,
      1,
    )
  })

  it('of wandering series does not take their wandering for a trend or a correlation', async () => {
    let [a, b] = [0, 0]
    const rows = waves(300, i => {
      a += Math.sin(i * i * 12.9898) * 2
      b += Math.cos(i * i * 78.233) * 2
      return { day: new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10), a, b }
    })
    assert.deepEqual((await ask({ rows })).answer.result.findings, [])
  })
})

describe('hostile tables', () => {
  const nasty = [
    '=1+2',
    '+cmd',
    '-2+3',
    '@SUM(A1)',
    '<script>alert(1)</script>',
    `"'); DROP TABLE data; --`,
    '\u202Etxt',
  ]

  it('leave neither formulas nor script in what is made of them', async () => {
    const rows = waves(120, i => ({
      [nasty[0] ?? '']: nasty[i % nasty.length],
      [nasty[4] ?? '']: (i % nasty.length) * 10 + Math.sin(i * 5.1),
      [nasty[5] ?? '']: nasty[i % nasty.length],
      '@now': Math.cos(i * 3.7),
    }))
    const { answer, artifacts, failed } = await ask({ rows })
    assert.ok(answer.result.findings.length > 0)
    assert.deepEqual(failed, [])
    for (const [name, text] of artifacts) {
      if (name.endsWith('.svg')) assert.doesNotMatch(text, /<script/i, name)
      else assert.doesNotMatch(text, /(^|,|\n)"?[=+@]/, name)
    }
  })

  it('are analysed or refused, and nothing else', async () => {
    const refused = async (input: AnalysisInput, words: RegExp) =>
      assert.rejects(analysed(input), (error: unknown) => error instanceof Refusal && words.test(error.message))
    await refused({ csv: `a\n${'x'.repeat(60_000_000)}` }, /100,000 characters/)
    await refused({ csv: `a\n${'x'.repeat(70_000_000)}` }, /64 MiB/)
    await refused({ csv: Array.from({ length: 10_000 }, (_, i) => `c${i}`).join(',') }, /1,000 columns/)
    await refused({ csv: 'a,b\n' }, /no rows/)
    await refused({ json: `${'['.repeat(100_000)}` }, /can't be read/)
    const extreme = await ask({
      rows: waves(40, i => ({
        big: 1.7e308 * (i % 2 ? 1 : -1),
        small: 5e-324 * i,
        same: 7,
        name: `n${i}`,
        '\0': '\0',
      })),
    })
    assert.deepEqual(extreme.failed, [])
  })

  it('of many columns are described, and the first of them tested', async () => {
    const wide = (columns: number) =>
      waves(12, i => Object.fromEntries(Array.from({ length: columns }, (_, c) => [`c${c}`, (i * (c + 3)) % 17])))
    const answer = await analysed({ rows: wide(110) })
    assert.equal(answer.result.columns.length, 110)
    assert.match(answer.warnings?.join() ?? '', /last 10 columns are described, not tested/)
    await assert.rejects(analysed({ rows: wide(251) }), Refusal)
    assert.equal((await analysed({ rows: wide(251), columns: ['c1', 'c250'] })).result.columns.length, 2)
  })
})

it('an analysis needs to read its own program and nothing else', async () => {
  const root = new URL('../../../../../', import.meta.url).pathname
  const script = `const { rules } = await import('./engine.ts')
    const rows = Array.from({ length: 50 }, (_, i) => ({ a: i % 7, b: (i * i) % 11 }))
    const { result } = await rules({ topic: '', tone: '', constraints: {}, files: [], seed: 1, input: { rows } })
    process.stdout.write(String(result.rows))`
  const flags = [
    '--permission',
    '--allow-addons',
    `--allow-fs-read=${root}*`,
    '--no-warnings',
    '--input-type=module',
    '-e',
  ]
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, script], { cwd: import.meta.dirname })
  assert.equal(stdout, '50')
})
