/** The bar of pictures: whatever the text is, it stays in its box and can be read. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Brief, Refusal } from '../../../../src/brief.ts'
import { faultsOf } from '../../../../src/run-rules.ts'
import { checks } from '../checks.ts'
import { rules } from '../engine.ts'
import type { Input } from '../result.ts'

const schema = JSON.parse(readFileSync(new URL('../output.schema.json', import.meta.url), 'utf8'))

const brief = (input: Input, seed = 1): Brief<Input> => ({
  topic: '',
  tone: '',
  constraints: {},
  files: [],
  seed,
  input,
})

const words = [
  'a',
  'Wörter',
  'слово',
  'مرحبا بالعالم',
  'שלום',
  'น้ำ',
  '🚀👩‍👩‍👧',
  '漢字と仮名',
  '你好世界',
  '한국어',
  '<script>',
  'url(#x)',
  'Donaudampfschiff'.repeat(8),
]
const said = fc.array(fc.constantFrom(...words, ' '), { maxLength: 30 }).map(all => all.join(' '))

const asked: fc.Arbitrary<Input> = fc.record({
  picture: fc.constantFrom('social_card', 'banner', 'chart'),
  label: said,
  title: said.map(all => `T ${all}`),
  subtitle: said,
  footer: said,
  theme: fc.constantFrom('light', 'dark', 'brand'),
  base_color: fc.integer({ min: 0, max: 0xffffff }).map(value => `#${value.toString(16).padStart(6, '0')}`),
  width: fc.integer({ min: 320, max: 640 }),
  height: fc.integer({ min: 240, max: 640 }),
  chart: said.map(label => ({ labels: [label, 'b'], series: [{ values: [3, -1] }] })),
})

describe('pictures', () => {
  it('hold 500 random texts in their boxes, readable', async () => {
    await fc.assert(
      fc.asyncProperty(asked, fc.nat(), async (input, seed) => {
        const one = brief(input, seed)
        const answer = await rules(one)
        assert.equal(faultsOf(schema, answer.result), undefined)
        assert.deepEqual(
          checks(one, answer).filter(({ pass }) => !pass),
          [],
        )
      }),
      { numRuns: 500, seed: 1 },
    )
  })

  it('are refused as photographs, in letters that no typeface here has, and with colours that are something else', async () => {
    const refused = (input: Input, param: string) =>
      assert.rejects(
        async () => await rules(brief(input)),
        (error: unknown) => error instanceof Refusal && error.param === param,
      )
    await refused({ picture: 'photograph' }, 'input.picture')
    await refused({ picture: 'banner', title: ' ' }, 'input.title')
    await refused({ picture: 'chart', title: 'x' }, 'input.chart')
    await refused({ picture: 'banner', title: '𒀀𒀁' }, 'input.title')
    await refused({ picture: 'pattern', base_color: 'url(http://x.example)' }, 'input.base_color')
  })
})
