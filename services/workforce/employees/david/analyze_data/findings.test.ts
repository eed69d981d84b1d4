/** How findings are told. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ask, rows } from './findings.fixture.ts'

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
