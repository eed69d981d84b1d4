/** How much is tried to read hunks that are no code by themselves. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bracketsAround } from './balanced.ts'
import { parseBudget, readableParts } from './piece.ts'

const text = Array.from({ length: 200 }, (_, at) => `} ${at} = ) in {`).join('\n')

describe('hunks that can not be read', () => {
  it('take the tries of one budget together', () => {
    const tried = (files: number) => {
      const budget = parseBudget()
      let count = 0
      const parses = () => {
        count++
        return false
      }
      for (let file = 0; file < files; file++) readableParts('typescript', { line: 1, text }, { parses }, budget)
      return count
    }
    const alone = tried(1)
    // Each hunk is tried as a whole in its five readings, whatever is left.
    assert.ok(tried(30) <= Math.max(alone, tried(5)) + 25 * 5, `${alone} ${tried(5)} ${tried(30)}`)
  })

  it('leave enough for the parts of one that can', () => {
    const lines = `) ] }\n${'x = 1\n'.repeat(100)}`
    const parts = readableParts(
      'python',
      { line: 1, text: lines },
      { parses: read => !read.includes(')') },
      parseBudget(),
    )
    assert.deepEqual(parts.at(-1)?.last, 102)
  })
})

describe('brackets that a piece lacks', () => {
  for (const [language, text, before, after] of [
    ['javascript', 'f(a) {', '', '}'],
    ['javascript', 'g("(")\n})', '_(async () => {', ''],
    ['javascript', 'const r = /[({]\\/(/g\n}', '{', ''],
    ['javascript', 'const a = b / c; f(d / e)\n}', '{', ''],
    ['javascript', 'const t = `(\n{`\n}', '{', ''],
    ['javascript', '/* ( */ // {\n}', '{', ''],
    ['javascript', '} else {\n}', 'if (_) {', ''],
    ['javascript', '} catch (e) {', 'try {', '}'],
    ['go', "a := '{'\nb := `(`\n}", '{', ''],
    ['rust', "fn f<'a>(x: &'a str) {", '', '}'],
    ['php', "# don't (\nf([", '', '])'],
  ] as const)
    it(`are found in ${language}: ${JSON.stringify(text)}`, () =>
      assert.deepEqual(bracketsAround(text, language), { before, after }))

  it('are found in time in a text that never closes what it opens', { timeout: 300_000 }, () => {
    const from = process.cpuUsage()
    for (const part of ['/*', '`\\', '"\\', '=/[', "'", '(`', '/ ', ')', '}', '('])
      bracketsAround(part.repeat(400_000 / part.length).replaceAll(/.{9000}/g, '$&\n'), 'javascript')
    assert.ok(process.cpuUsage(from).user < 20_000_000)
  })
})
