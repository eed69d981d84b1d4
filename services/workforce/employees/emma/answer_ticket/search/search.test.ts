import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { indexOf } from './index.ts'
import { passagesOf } from './passages.ts'
import { ranker } from './rank.ts'
import { speller } from './spelling.ts'
import { synonymsOf } from './synonyms.ts'
import { termsOf } from './terms.ts'

describe('knowledge', () => {
  const cut = (text: string) =>
    passagesOf({ name: 'a.md', text }).map(({ sections, heading, text }) => [sections.join(', '), heading, text])

  it('is cut at headings, with those above each', () => {
    assert.deepEqual(
      cut('# Shop\nOpen.\n\n## Returns\n### How\nSend it\nback. \n\n- one\n- two\n## Pay ##\nBy card.'),
      [
        ['', 'Shop', 'Open.'],
        ['Shop, Returns', 'How', 'Send it back.\n- one\n- two'],
        ['Shop', 'Pay', 'By card.'],
      ],
    )
  })

  it('is cut at every paragraph where there are no headings, and else where they are long', () => {
    const paragraph = `${'word '.repeat(80).trim()}.`
    const text = `${paragraph}\n\n${paragraph}\n\n${paragraph}\n\nlast one`
    assert.equal(cut(text).length, 4)
    assert.equal(cut(`## Words\n${text}`).length, 2)
  })

  it('keeps the signs of code, which are no headings', () => {
    assert.deepEqual(cut('## Start\n```sh\n# a comment\n```\nDone.'), [['', 'Start', '```sh\n# a comment\n```\nDone.']])
    const outer = '````md\n```sh\n# a\n```\n~~~\n# b\n````'
    assert.deepEqual(cut(`## Start\n${outer}\n## End\nDone.`), [
      ['', 'Start', outer],
      ['', 'End', 'Done.'],
    ])
  })

  it('is read once, however many fences in it nothing closes', () => {
    const readings = (fences: number) => {
      const opened = Array.from({ length: fences }, (_, at) => '~'.repeat(3 + fences - at)).join('\n')
      const trim = mock.method(String.prototype, 'trim')
      try {
        cut(`${opened}\n${'a\n'.repeat(50 * fences)}`)
        return trim.mock.callCount()
      } finally {
        trim.mock.restore()
      }
    }
    assert.ok(readings(80) < 2.5 * readings(40), `${readings(80)} of ${readings(40)}`)
  })
})

it('terms are stems without what every question has, and identifiers whole and in parts', () => {
  assert.deepEqual(termsOf('How do I get the running tasks? error `rate_limited`, isn’t it'), [
    'get',
    'run',
    'task',
    'error',
    'rate_limited',
    'rate',
    'limit',
  ])
  assert.deepEqual(termsOf('They were turned off right now'), ['disabl', 'immedi'])
})

it('a word with one slip is the one that is meant, unless it may be two', () => {
  const correct = speller(['rotate', 'revoke', 'crates', 'grates'])
  assert.deepEqual(['rotaet', 'rotat', 'rotatee', 'rotote', 'rates', 'orates', 'key', 'xxxxxx'].map(correct), [
    'rotate',
    'rotate',
    'rotate',
    'rotate',
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

it('synonyms stand for each other, both ways', () => {
  assert.ok((synonymsOf('job').get('task') ?? 0) > (synonymsOf('job').get('run') ?? 0))
  assert.equal(synonymsOf('task').get('job'), synonymsOf('job').get('task'))
  assert.equal(synonymsOf('constructor').size, 0)
})

describe('passages', () => {
  const passages = passagesOf({
    name: 'a',
    text: '## Keys\nA key opens.\n## Doors\nA door is opened with a key, a key or force.\n## Cats\nThey sleep.',
  })

  it('weigh by how often a term stands there, and more in a heading', () => {
    const index = indexOf(passages)
    const key = index.postings('kei')
    assert.ok((key.get(0) ?? 0) > (key.get(1) ?? 0))
    assert.equal(key.get(2), undefined)
    assert.ok(index.idf('cat') > index.idf('kei'))
    assert.equal(index.idf('zebra'), 1)
  })

  it('are ranked, and those with nothing of the question are left out', () => {
    const rank = ranker(passages)
    assert.deepEqual(
      rank('which key?').map(({ passage }) => passage.heading),
      ['Keys', 'Doors'],
    )
    assert.deepEqual(rank('zebra'), [])
    const [first] = rank('do cats sleep at night?')
    assert.ok(first && first.coverage > 0.5 && first.coverage < 1)
  })
})

it('a word with a slip is found among a hundred thousand that are alike', () => {
  const alike = Array.from(
    { length: 100_000 },
    (_, at) => `word${String.fromCodePoint(0x4e00 + (at % 20_000))}${at % 5}`,
  )
  const known = [...alike.map(word => word.slice(0, -1)), 'rotate']
  const begun = process.cpuUsage()
  assert.equal(speller(known)('roatte'), 'rotate')
  assert.ok(process.cpuUsage(begun).user < 20_000_000)
})
