/** A number that differs between groups is held against the other categories, and the time. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Brief } from '../../src/brief.ts'
import type { AnalysisInput } from '../analysis/input.ts'
import { checks } from './checks.ts'
import { rules } from './engine.ts'

async function ask(rows: object[]) {
  const brief: Brief<AnalysisInput> = { topic: '', tone: '', constraints: {}, files: [], seed: 1, input: { rows } }
  const answer = await rules(brief)
  for (const { id, pass } of await checks(brief, answer)) assert.ok(pass, id)
  const of =
    <T extends { readonly columns: readonly string[] }>(list: readonly T[]) =>
    (...names: string[]) =>
      list.filter(({ columns }) => names.every(name => columns.includes(name)))
  return {
    found: of(answer.result.findings),
    explained: of(answer.result.explained),
    text: answer.text,
  }
}

const rowsOf = (count: number, row: (i: number) => object) => Array.from({ length: count }, (_, i) => row(i))
/** 0 to 1, the same each time, and unlike that of the next row. */
const noise = (i: number) => Math.abs((Math.sin(i * 12.9898) * 43758.5453) % 1)

interface Firm {
  readonly pay: readonly [number, number, number]
  readonly men: readonly [number, number, number]
  readonly spread: number
  /** What men get beyond that. */
  readonly more: number
}

const firm = ({ pay, men, spread, more }: Firm) =>
  rowsOf(300, i => {
    const gender = noise(i) < (men[i % 3] ?? 0) ? 'man' : 'woman'
    const own = (pay[i % 3] ?? 0) + spread * (noise(i + 1000) - 0.5)
    return { department: ['A', 'B', 'C'][i % 3], gender, pay: own + (gender === 'man' ? more : 0) }
  })

describe('a difference between two groups', () => {
  for (const [what, spread] of [
    ['that overlap', 1500],
    ['of which each pays more than all of the one before', 300],
  ] as const)
    it(`that departments make ${what} is no finding, but explained by them`, async () => {
      const { found, explained, text } = await ask(
        firm({ pay: [3000, 4000, 5000], men: [0.2, 0.5, 0.8], spread, more: 0 }),
      )
      assert.deepEqual(found('pay', 'gender'), [])
      assert.equal(explained('pay', 'gender')[0]?.by, 'department')
      assert.match(
        text,
        /- pay only seems to differ with gender \(median 4,\d+ where gender is “man”, 3,\d+ where gender is “woman”\): both differ with department, and among rows with the same department the medians differ by -?\d\d?(\.\d+)? on average \(300 rows\)\./,
      )
      assert.match(found('pay', 'department')[0]?.statement ?? '', /It is also there among rows with the same gender/)
    })

  it('that is there within departments too says how much of it', async () => {
    const { found } = await ask(firm({ pay: [3000, 4000, 5000], men: [0.4, 0.5, 0.6], spread: 1500, more: 900 }))
    const [finding] = found('pay', 'gender')
    assert.match(
      finding?.statement ?? '',
      /^pay is highest where gender is “man” .* It is also there among rows with the same department: the medians differ by [\d,.]+ on average/,
    )
    const left = finding?.values.within_groups ?? 0
    assert.ok(left > 700 && left < 1100, String(left))
  })

  it('of which departments make more than half says so', async () => {
    const { found } = await ask(firm({ pay: [3000, 4500, 6000], men: [0.2, 0.5, 0.8], spread: 1500, more: 400 }))
    assert.match(
      found('pay', 'gender')[0]?.statement ?? '',
      /Less than half of it is left among rows with the same department: the medians differ by [34]\d\d/,
    )
  })

  it('that turns round within departments is told so', async () => {
    const { found } = await ask(firm({ pay: [3000, 5000, 7000], men: [0.15, 0.5, 0.85], spread: 1500, more: -500 }))
    const [finding] = found('pay', 'gender')
    assert.match(
      finding?.statement ?? '',
      /^Taken all together, pay is highest where gender is “man” .* But among rows with the same department it is the other way round: the medians differ by -\d+/,
    )
    assert.equal(finding?.value, finding?.values.within_groups)
  })

  it('is not explained by bands of the number itself', async () => {
    const { found, explained } = await ask(
      rowsOf(300, i => {
        const pay = 3000 + 2000 * noise(i) + (i % 2) * 600
        return { gender: i % 2 ? 'man' : 'woman', pay, band: `band ${Math.floor(pay / 200)}` }
      }),
    )
    assert.deepEqual(explained('pay', 'gender'), [])
    assert.equal(found('pay', 'gender').length, 1)
  })

  it('is not explained by a finer way to say the groups', async () => {
    const { found, explained } = await ask(
      rowsOf(300, i => {
        const isNorth = i % 2 === 0
        // Nearly all of a town lie on one side.
        const town = `${isNorth !== i % 50 < 2 ? 'n' : 's'}${(i >> 1) % 3}`
        return { side: isNorth ? 'north' : 'south', town, pay: (town.startsWith('n') ? 3 : 1) + noise(i) }
      }),
    )
    assert.equal(found('pay', 'side').length, 1)
    assert.deepEqual(explained('pay', 'side'), [])
  })

  it('is told where less than half of the rows have others beside them', async () => {
    const { found, explained } = await ask(
      rowsOf(300, i => {
        const isMan = i % 2 === 0
        const isMixed = i % 6 < 2
        return {
          gender: isMan ? 'man' : 'woman',
          site: isMixed ? 'both' : isMan ? 'north' : 'south',
          pay: (isMixed ? 2 : isMan ? 3 : 1) + noise(i),
        }
      }),
    )
    assert.deepEqual(explained('pay', 'gender'), [])
    assert.match(found('pay', 'gender')[0]?.statement ?? '', /lowest where gender is “woman” \([\d.]+\)\.$/)
  })
})

describe('a difference between several groups', () => {
  it('is no less told where others than the highest and the lowest differ within departments', async () => {
    const { found, explained } = await ask(
      rowsOf(600, i => {
        const department = i % 3
        const team = noise(i) < ([0.1, 0.45, 0.8][department] ?? 0) ? 'a' : noise(i + 5000) < 0.5 ? 'b' : 'c'
        const extra = { a: 0, b: 0.9, c: 0 }[team] ?? 0
        return { department: 'ABC'[department], team, sold: 1.5 * department + 2 * noise(i + 99) + extra }
      }),
    )
    assert.deepEqual(explained('sold', 'team'), [])
    assert.equal(found('sold', 'team').length, 1)
  })

  it('names all of those that have the same median', async () => {
    const { found } = await ask(
      rowsOf(200, i => ({
        shop: 'abcd'[i % 4],
        sold: ([5, 5, 3, 2][i % 4] ?? 0) + ([-1, 0, 0, 0, 1][(i >> 2) % 5] ?? 0),
      })),
    )
    assert.equal(
      found('sold', 'shop')[0]?.statement,
      'sold is highest where shop is “a” or “b” (median 5) and lowest where shop is “d” (2).',
    )
  })

  it('leaves out one of which too few values are known, and says so', async () => {
    const { found } = await ask(
      rowsOf(200, i => ({
        shop: 'abcd'[i % 4],
        sold: i % 4 === 3 && i > 12 ? null : ([5, 7, 3, 9][i % 4] ?? 0) + noise(i),
      })),
    )
    const difference = found('sold', 'shop').find(({ kind }) => kind === 'difference')
    assert.match(
      difference?.statement ?? '',
      /^Of the values of shop with sold known in at least 5 rows, sold is highest where shop is “b” \(median 7\.\d+\) and lowest where shop is “c” \(3\.\d+\)\. One value of shop with fewer is left out \(3 rows\); its median is 9\.\d+\.$/,
    )
  })
})

it('a difference that the time makes is explained by it', async () => {
  const { found, explained } = await ask(
    rowsOf(300, i => ({
      day: new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10),
      version: noise(i) < i / 300 ? 'new' : 'old',
      sold: i + 60 * noise(i + 77),
    })),
  )
  assert.deepEqual(found('sold', 'version'), [])
  const [one] = explained('sold', 'version')
  assert.equal(one?.by, 'day')
  assert.match(one?.statement ?? '', /both differ with day.* among rows of about the same day the medians differ by/)
})

it('where medians and means say another thing than the test, what is left is told in places', async () => {
  const { found } = await ask(
    rowsOf(400, i => {
      const isMan = noise(i) < 0.5
      // Most have 1, and a few men a large debt: the median is the same, and the mean of men is below.
      const score = isMan && i % 50 === 3 ? -1e7 : noise(i + 300) < (isMan ? 0.95 : 0.6) ? 1 : 0
      return { department: 'AB'[i % 2], gender: isMan ? 'man' : 'woman', score }
    }),
  )
  assert.match(
    found('score', 'gender')[0]?.statement ?? '',
    /^score is highest where gender is “man” \(mean rank .* It is also there among rows with the same department: the mean places in order differ by 1\d\.\d+ % of the rows on average/,
  )
})
