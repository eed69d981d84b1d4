/** What engines of rules leave out of a brief, they say. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { rules as review } from '../../alex/code_review/engine.ts'
import { rules as debug } from '../../alex/debug/engine.ts'
import { rules as document } from '../../alex/documentation/engine.ts'
import { rules as analyse } from '../../david/analyze_data/engine.ts'
import { rules as report } from '../../david/create_report/engine.ts'
import { rules as forecast } from '../../david/forecast/engine.ts'

const plain = { topic: '', tone: '', constraints: {}, files: [], seed: 1 }
const wished = {
  ...plain,
  tone: 'warm',
  audience: 'children',
  language: 'de-AT',
  constraints: { max_words: 10, avoid: ['x'] },
}
const code = { code: 'export const a = 1\n', path: 'a.ts' }
const csv = `x,y\n${Array.from({ length: 40 }, (_, i) => `${i % 7},${(i * i) % 11}`).join('\n')}`

const kinds = {
  code_review: (brief: typeof plain) => review({ ...brief, input: code }),
  debug: (brief: typeof plain) => debug({ ...brief, input: { trace: 'Error: a\n    at f (/app/a.ts:1:1)\n' } }),
  documentation: (brief: typeof plain) => document({ ...brief, input: code }),
  analyze_data: (brief: typeof plain) => analyse({ ...brief, input: { csv } }),
  create_report: (brief: typeof plain) => report({ ...brief, input: { csv } }),
  forecast: async (brief: typeof plain) => forecast({ ...brief, input: { csv, value_columns: ['x'], horizon: 3 } }),
}

for (const [kind, rules] of Object.entries(kinds))
  it(`${kind} says which wishes have no effect, and nothing where there are none`, async () => {
    const fields = async (brief: typeof plain) =>
      (await rules(brief)).warnings?.flatMap(warning => /^`(\w+)` has no effect/.exec(warning)?.[1] ?? [])
    assert.deepEqual(await fields(wished), ['tone', 'language', 'audience', 'constraints'])
    assert.deepEqual(await fields(plain), [])
  })
