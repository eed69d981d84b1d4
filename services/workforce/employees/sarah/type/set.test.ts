import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fitText } from './set.ts'

it('a title that is balanced has as many lines, in the same size, and none with a word alone', () => {
  const said = 'What a wet spring does to a kitchen garden'
  const setting = { family: 'fraunces', weight: 700, size: 60, smallest: 20, leading: 1.1 } as const
  for (const width of [500, 640, 700, 760, 1100]) {
    const box = { width, height: 400 }
    const [plain, even] = [fitText(said, setting, box), fitText(said, { ...setting, balanced: true }, box)]
    assert.deepEqual([even.lines.length, even.size, even.cut], [plain.lines.length, plain.size, false])
    const widths = even.lines.map(line => line.width)
    assert.ok(Math.min(...widths) > 0.5 * Math.max(...widths), `${width}: ${widths}`)
  }
  assert.equal(fitText('', { ...setting, balanced: true }, { width: 100, height: 100 }).lines.length, 0)
})
