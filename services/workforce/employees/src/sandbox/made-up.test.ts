/** Whatever the dice say, the sandbox answers with a result that the kind's own schema allows. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readCatalogue } from '../catalogue.ts'
import { faultsOf } from '../run-rules.ts'
import { type Dice, madeUp } from './made-up.ts'

const SEEDS = 50

describe('what the sandbox makes up', () => {
  for (const { id: employee, kinds } of readCatalogue())
    for (const { id, output_schema } of kinds)
      it(`is a result of ${employee} ${id}, whatever the seed`, () => {
        for (let seed = 1; seed <= SEEDS; seed++) {
          const result = madeUp(output_schema, diceOf(seed))
          assert.equal(faultsOf(output_schema, result), undefined, `seed ${seed}`)
          assert.deepEqual(madeUp(output_schema, diceOf(seed)), result)
          assert.ok(JSON.stringify(result).length < 262_144, `seed ${seed} is too large for an answer`)
        }
      })

  it('is nothing that has what it is made of without end', () => {
    const tree = { type: 'object', properties: { branches: { type: 'array', items: { $ref: '#' } } } }
    assert.ok(JSON.stringify(madeUp(tree, diceOf(1))).length < 10_000)
  })

  it('is no text that breaks a pattern', () => {
    const schema = { type: 'string', pattern: '^[0-9]{4}-[0-9]{4}$' }
    assert.throws(() => madeUp(schema, diceOf(1)), /nothing to make up fits/)
  })
})

/** Numbers that follow from a seed: a linear congruential generator (Numerical Recipes, section 7.1). */
function diceOf(seed: number): Dice {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return { next, between: (least, most) => least + Math.floor(next() * (most - least + 1)) }
}
