/** The bar of pictures: whatever the texts and numbers are, each text stays in its box, on no other, and can be read. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Brief, Refusal } from '../../../src/brief.ts'
import { faultsOf } from '../../../src/run-rules.ts'
import { checks } from '../checks.ts'
import { rules } from '../engine.ts'
import type { Input } from '../result.ts'
import { anyPicture } from './any-picture.ts'

const schemaOf = (name: string) => JSON.parse(readFileSync(new URL(`../${name}.schema.json`, import.meta.url), 'utf8'))

const [asked, given] = [schemaOf('input'), schemaOf('output')]

const brief = (input: Input, seed = 1): Brief<Input> => ({
  topic: '',
  tone: '',
  constraints: {},
  files: [],
  seed,
  input,
})

/** In characters: a text that is no longer has room in every size, so none of it is cut. */
const WHOLE: Readonly<Record<string, number>> = {
  label: 80,
  title: 300,
  subtitle: 300,
  footer: 80,
  unit: 60,
  name: 36,
  labels: 16,
}

/** Of the texts that a result calls cut, those that are short. */
const shortAndCut = (input: Input, cut: readonly string[]) =>
  cut.flatMap(place => {
    const path = place.match(/\w+/g) ?? []
    const said = path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], input)
    const most = WHOLE[path.filter(key => !/^\d/.test(key)).at(-1) ?? ''] ?? Number.NaN
    return String(said).length > most ? [] : `${place}: ${said}`
  })

describe('pictures', () => {
  it('hold 500 random texts in their boxes, readable, none on another, and short ones whole', async () => {
    await fc.assert(
      fc.asyncProperty(anyPicture, fc.nat(), async (input, seed) => {
        assert.equal(faultsOf(asked, input), undefined)
        const one = brief(input, seed)
        const answer = await rules(one)
        assert.equal(faultsOf(given, answer.result), undefined)
        assert.deepEqual(
          checks(one, answer).filter(({ pass }) => !pass),
          [],
        )
        assert.deepEqual(shortAndCut(input, answer.result.cut), [])
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
