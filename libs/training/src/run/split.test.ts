import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { splitExamples } from './split.ts'

const examplesOf = (classes: readonly number[]) => ({
  count: classes.length,
  targets: { dtype: 'int64', shape: [classes.length, 1], data: BigInt64Array.from(classes, BigInt) } as const,
})

test('each example is on one side, no class is held out wholly, and the share is kept', () => {
  const classes = fc.array(fc.nat(4), { minLength: 2, maxLength: 200 })
  fc.assert(
    fc.property(classes, fc.double({ min: 0, max: 0.5, noNaN: true }), fc.nat(), (of, validation_split, seed) => {
      const { learned, heldOut } = splitExamples(examplesOf(of), { seed, loss: 'cross_entropy', validation_split })
      assert.deepEqual(
        [...learned, ...heldOut].toSorted((a, b) => a - b),
        [...of.keys()],
      )
      const classesIn = (examples: Uint32Array) => new Set(Array.from(examples, at => of[at]))
      assert.deepEqual(classesIn(learned), new Set(of))
      assert.ok(Math.abs(heldOut.length - of.length * validation_split) <= 5)
      if (validation_split === 0) assert.equal(heldOut.length, 0)
    }),
  )
})

test('a seed gives one split', () => {
  const split = (seed: number) =>
    splitExamples(examplesOf(Array.from({ length: 50 }, (_, at) => at % 3)), {
      seed,
      loss: 'cross_entropy',
      validation_split: 0.2,
    })
  assert.deepEqual(split(1), split(1))
  assert.notDeepEqual(split(1).heldOut, split(2).heldOut)
})

test('a small share holds out one example', () => {
  const { learned, heldOut } = splitExamples(examplesOf([0, 0, 1]), {
    seed: 1,
    loss: 'cross_entropy',
    validation_split: 0.01,
  })
  assert.deepEqual([learned.length, heldOut.length], [2, 1])
})
