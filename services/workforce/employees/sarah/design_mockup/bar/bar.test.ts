/** The bar of mock-ups: whatever is described, every text stays in its box and can be read, and the HTML is in order. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { Refusal } from '../../../src/brief.ts'
import { faultsOf } from '../../../src/run-rules.ts'
import { checks } from '../checks.ts'
import { rules } from '../engine.ts'
import { anyPage } from './any-page.ts'

const schemaOf = (name: string) => JSON.parse(readFileSync(new URL(`../${name}.schema.json`, import.meta.url), 'utf8'))

const [asked, given] = [schemaOf('input'), schemaOf('output')]

/** Such a page is refused, and another one is taken for it. */
function unlessTooHigh(error: unknown): never {
  fc.pre(!(error instanceof Refusal && /pixels high/.test(error.message)))
  throw error
}

describe('mock-ups', () => {
  it('of 500 random descriptions hold every text in its box, readable, on a page without faults', async () => {
    await fc.assert(
      fc.asyncProperty(anyPage(asked), fc.nat(), async (input, seed) => {
        assert.equal(faultsOf(asked, input), undefined)
        const brief = { topic: '', tone: '', constraints: {}, files: [], seed, input }
        const answer = await rules(brief).catch(unlessTooHigh)
        assert.equal(faultsOf(given, answer.result), undefined)
        assert.deepEqual(
          (await checks(brief, answer)).filter(({ pass }) => !pass),
          [],
        )
      }),
      { numRuns: 500, seed: 1 },
    )
  })
})
