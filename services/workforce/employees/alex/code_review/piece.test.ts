/** How much is tried to read hunks that are no code by themselves. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
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
