/** What goes together because of the time or of a category. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ask, waves } from './analysis.fixture.ts'

describe('an analysis', () => {
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
