/** What is told of groups and categories: no more than the rows say, and of all of them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { ask, rows } from './findings.fixture.ts'

const r = JSON.parse(readFileSync(new URL('../analysis/statistics/r.json', import.meta.url), 'utf8'))

describe('groups', () => {
  it('of fewer than 5 rows are counted where one is told to be highest, with what their medians are', async () => {
    const sizes = { cow: 30, mouse: 30, elephant: 2, whale: 3 }
    const weights = { cow: 70, mouse: 0.05, elephant: 4600, whale: 173 }
    const animals = Object.entries(sizes).flatMap(([order, count]) => Array.from({ length: count }, () => order))
    const { of, chartOf } = await ask({
      rows: animals.map((order, i) => ({
        order,
        weight: weights[order as keyof typeof weights] * (1 + 0.1 * Math.sin(i * 7.3)),
      })),
    })
    const [finding] = of('difference', 'weight', 'order')
    assert.match(
      finding?.statement ?? '',
      /^Of the values of order with at least 5 rows, weight is highest where order is “cow” \(median [\d.]+\) and lowest where order is “mouse” \(0\.0\d+\)\. 2 values of order with fewer are left out \(5 rows in all\); their medians reach from 1\d\d(?:\.\d)? to 4,\d{3}\.$/,
    )
    assert.deepEqual([finding?.values.groups_left_out, finding?.values.rows_left_out], [2, 5])
    assert.match(chartOf(finding?.id), /weight by order: medians, of at least 5 rows each/)
  })

  it('have the highest median where that is told, also where another has the highest ranks', async () => {
    const shops = {
      a: [10, 10, 10, 10, 10, 11, 11, 11, 1, 1],
      b: [12, 12, 12, 12, 12, 12, 0, 0, 0, 0],
      c: [1, 2, 3, 2, 1, 2, 3, 2, 1, 2],
    }
    const { of, group_differences: differences } = await ask({
      rows: rows(300, i => {
        const shop = (['a', 'b', 'c'] as const)[i % 3] ?? 'a'
        return { shop, sold: (shops[shop][Math.floor(i / 3) % 10] ?? 0) + 0.01 * Math.sin(i * 7.3) }
      }),
    })
    assert.equal(differences.length, 1)
    assert.match(of('difference')[0]?.statement ?? '', /highest where shop is “b” \(median 1[12]/)
  })

  it('that are all told of have no such words', async () => {
    const { of } = await ask({
      rows: rows(80, i => ({ shop: i % 2 ? 'north' : 'south', sold: (i % 2) + Math.sin(i * 1.7) / 3 })),
    })
    assert.match(of('difference', 'sold')[0]?.statement ?? '', /^sold is highest where shop is “north” \(median /)
  })

  it('that are taken together are named', async () => {
    const { of } = await ask({
      rows: rows(160, i => ({ place: `p${i % 20}`, post: i % 20 < 2 && i > 3 ? 'x' : 'y' })),
    })
    assert.match(
      of('association', 'place', 'post')[0]?.statement ?? '',
      /^Where place is “p\d+”(?:, “p\d+”){3} or 1?\d others, post is “[xy]” in /,
    )
  })

  it('of which one column says what the other says are told so', async () => {
    const countries = ['Brazil', 'China', 'Canada', 'Spain', 'Italy', 'Japan']
    const { of } = await ask({
      rows: rows(90, i => ({
        country: countries[i % 6],
        code: countries[i % 6]?.slice(0, 2).toUpperCase() === 'CH' ? 'CN' : countries[i % 6]?.slice(0, 2).toLowerCase(),
        side: i % 6 < 3 ? 'left' : 'right',
      })),
    })
    assert.equal(
      of('association', 'country', 'code')[0]?.statement,
      'country and code say the same: each of the 6 values of one goes with one value of the other, in 90 rows.',
    )
    assert.equal(
      of('association', 'country', 'side')[0]?.statement,
      'Each of the 6 values of country goes with one of the 2 values of side, in 90 rows.',
    )
  })
})

describe('a link of two categories', () => {
  const berkeley = (r.mantelHaenszel.tables as readonly (readonly number[])[]).flatMap(
    ([men = 0, women = 0, menIn = 0, womenIn = 0], department) => {
      const of = (count: number, gender: string, admitted: string) =>
        Array.from({ length: count }, () => ({ admitted, gender, department: 'ABCDEF'[department] }))
      return [
        ...of(menIn, 'male', 'yes'),
        ...of(men - menIn, 'male', 'no'),
        ...of(womenIn, 'female', 'yes'),
        ...of(women - womenIn, 'female', 'no'),
      ]
    },
  )

  it('that a third makes is no finding, but explained by it', async () => {
    const { of, explained, text } = await ask({ rows: berkeley })
    assert.deepEqual(of('association', 'admitted', 'gender'), [])
    const [one, ...others] = explained
    assert.deepEqual(others, [])
    assert.deepEqual([one?.columns, one?.by], [['admitted', 'gender'], 'department'])
    assert.match(
      text,
      /only seem to go together .*both differ with department.*the difference is -1\.\d+ percentage points/,
    )
    // The same the other way round is what R gives.
    assert.ok(Math.abs((one?.values.within_groups ?? 0) / 100 / r.mantelHaenszel.difference - 1) < 0.1)
  })

  it('is told by a share that differs, not by one that is the same elsewhere', async () => {
    // R’s HousePrices (AER): houses by garages, with and without a driveway.
    const houses = { 0: [242, 58], 1: [108, 18], 2: [107, 1], 3: [12, 0] }
    const { text } = await ask({
      columns: ['garage', 'driveway'],
      rows: Object.entries(houses).flatMap(([garage, [yes = 0, no = 0]]) =>
        rows(yes + no, i => ({ garage, driveway: i < yes ? 'yes' : 'no' })),
      ),
    })
    assert.match(text, /Where garage is “0”, driveway is “no” in 19\.33 % of the rows; elsewhere, in 7\.724 %/)
  })

  it('that turns round within a third is told so', async () => {
    const share = (i: number, of: number) => (i * 37) % 100 < of
    const { of } = await ask({
      rows: rows(2000, i => {
        const isLarge = i % 2 === 0
        const isNew = share(i >> 1, isLarge ? 80 : 20)
        const cured = share((i >> 1) * 13 + 5, (isLarge ? 30 : 80) + (isNew ? 12 : 0))
        return { stone: isLarge ? 'large' : 'small', treatment: isNew ? 'new' : 'old', cured: cured ? 'yes' : 'no' }
      }),
    })
    const [finding] = of('association', 'treatment', 'cured')
    assert.match(
      finding?.statement ?? '',
      /^Taken all together, where .* But among rows with the same stone it is the other way round: .* The total misleads/,
    )
    assert.equal(finding?.value, finding?.values.within_groups)
    assert.ok(Math.sign(finding?.value ?? 0) === -Math.sign(finding?.values.difference ?? 0))
  })

  it('is not explained by a finer way to say one of the two', async () => {
    const { of, explained } = await ask({
      rows: rows(1200, i => {
        const isNorth = i % 2 === 0
        // Nearly all of a town lie on one side, and what is paid goes with the town.
        const town = `${isNorth !== (i % 50 < 2) ? 'n' : 's'}${(i >> 1) % 3}`
        const isPaid = Math.sin(i * 7.3) < (town.startsWith('n') ? 0.7 : -0.5)
        return {
          side: isNorth ? 'north' : 'south',
          town,
          paid: isPaid ? 'yes' : 'no',
          status: isPaid ? `paid in ${i % 3}` : `open for ${i % 3}`,
        }
      }),
    })
    assert.equal(of('association', 'side', 'paid').length, 1)
    assert.deepEqual(
      explained.filter(({ columns }) => columns.includes('side') && columns.includes('paid')),
      [],
    )
  })
})

it('a link of which some is left is not told as if there were none', async () => {
  const { explained } = await ask({
    rows: rows(60, i => {
      const place = i % 3
      const common = 0.8 * Math.sin(i * 5.3)
      return {
        city: ['A', 'B', 'C'][place],
        sold: 3 * place + common + Math.sin(i * 3.1),
        listed: 3 * place + common + Math.cos(i * 91.7),
      }
    }),
  })
  assert.match(
    explained[0]?.statement ?? '',
    /^sold and listed rise together .* but mostly as both differ with city: .* 0\.[12]\d* is left, no more than chance may give/,
  )
})
