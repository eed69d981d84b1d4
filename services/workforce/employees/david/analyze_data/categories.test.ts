/** What is told of groups, flags and codes: no more than the rows say, and of all of them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { type Brief, Refusal } from '../../src/brief.ts'
import { faultsOf } from '../../src/run-rules.ts'
import type { AnalysisInput } from '../analysis/input.ts'
import { checks } from './checks.ts'
import { rules } from './engine.ts'

const outputSchema = JSON.parse(readFileSync(new URL('output.schema.json', import.meta.url), 'utf8'))
const r = JSON.parse(readFileSync(new URL('../analysis/statistics/r.json', import.meta.url), 'utf8'))

async function ask(input: AnalysisInput) {
  const brief: Brief<AnalysisInput> = { topic: '', tone: '', constraints: {}, files: [], seed: 1, input }
  const answer = await rules(brief)
  assert.equal(faultsOf(outputSchema, answer.result), undefined)
  for (const { id, pass } of await checks(brief, answer)) assert.ok(pass, id)
  const chartOf = (id = '') =>
    new TextDecoder().decode(answer.artifacts?.find(({ name }) => name === `${id}.svg`)?.bytes ?? new Uint8Array())
  const { findings } = answer.result
  return {
    ...answer.result,
    text: answer.text,
    warnings: answer.warnings ?? [],
    chartOf,
    of: (kind: string, ...names: readonly string[]) =>
      findings.filter(one => one.kind === kind && names.every(name => one.columns.includes(name))),
  }
}

const rows = (count: number, row: (i: number) => object) => Array.from({ length: count }, (_, i) => row(i))

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

describe('what is told', () => {
  it('counts no values as far where more than half of them are the same', async () => {
    const { columns } = await ask({ rows: rows(90, i => ({ visits: i % 3 ? 0 : i % 11, size: Math.sin(i * 7.3) })) })
    assert.deepEqual(
      columns.map(({ numbers }) => numbers?.far),
      [null, 0],
    )
  })

  it('takes rows of which nearly nothing is known for no copies', async () => {
    const { duplicates, findings } = await ask({
      rows: rows(40, i => ({
        name: `n${i}`,
        made: i > 36 ? '1993-08-16' : null,
        size: i > 36 ? null : i + 0.5,
        kind: null,
      })),
    })
    assert.equal(duplicates.rows, 0)
    assert.deepEqual(
      findings.filter(({ kind }) => kind === 'duplicates'),
      [],
    )
  })

  it('has no mean of versions', async () => {
    const { columns } = await ask({
      csv: `version,n\n${rows(30, i => [i / 2, i % 11])
        .map(one => Object.values(one).join(','))
        .join('\n')}\n`,
    })
    assert.equal(columns[0]?.type, 'text')
  })

  it('is about many columns, before it says more of the same', async () => {
    const { findings } = await ask({
      rows: rows(200, i => ({
        ...Object.fromEntries(
          ['a', 'b', 'c', 'd'].map((name, at) => [name, Math.sin(i * 7.3) + at * 0.001 * Math.cos(i)]),
        ),
        price: Math.sin(i * 7.3) + 0.4 * Math.cos(i * 91.7),
      })),
    })
    assert.ok(findings.some(({ columns }) => columns.includes('price')))
  })

  it('writes large numbers out, and marks axes shortly', async () => {
    const { of, chartOf } = await ask({
      rows: rows(200, i => ({
        city: `city number ${i % 20} of the land`,
        volume: 1e9 * (1 + (i % 20)) + 1e8 * Math.sin(i * 7.3),
      })),
    })
    const [finding] = of('difference', 'volume', 'city')
    assert.match(finding?.statement ?? '', /\(median 20,\d{3},\d{3},\d{3}\)/)
    const texts = [...chartOf(finding?.id).matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text)
    assert.ok(texts.includes('20B') || texts.includes('25B'), texts.join())
    assert.equal(texts.filter(text => text?.startsWith('“city number ')).length, 15)
    assert.ok(texts.filter(text => /^\d+(?:\.\d+)?B$/.test(text ?? '')).length >= 15)
  })

  it('says that less than half of a link is left where that is so', async () => {
    const { of } = await ask({
      rows: rows(600, i => {
        const size = i % 3
        const common = 0.45 * Math.sin(i * 7.3)
        return {
          city: ['A', 'B', 'C'][size],
          sold: 3 * size + common + Math.sin(i * 3.1),
          listed: 3 * size + common + Math.cos(i * 91.7),
        }
      }),
    })
    assert.match(
      of('correlation', 'sold', 'listed')[0]?.statement ?? '',
      /a strong link.*Less than half of it is left among rows with the same city \(0\.\d+\)/,
    )
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
