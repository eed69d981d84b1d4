/** Relays of two processes beside their writers, with answers that come late and steps that fail, drawn at random. */
import assert from 'node:assert/strict'
import { it, mock } from 'node:test'
import fc from 'fast-check'
import { type Step, World } from './outbox-world.fixture.ts'

const key = fc.constantFrom('a', 'b')
const by = fc.constantFrom(0, 1)
const ms = fc.integer({ min: 0, max: 30 })
const kind = <K extends string>(...kinds: K[]) => fc.constantFrom(...kinds)

const does = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({ kind: kind('write'), by, key, sentMs: ms, answeredMs: ms, rings: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind('slow'), ms }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('start', 'stop'), by }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: kind('no log', 'no reads', 'no clears', 'lost clears', 'refuse', 'put back') }),
  },
)
const afterMs = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 40 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 1_200 }) },
)
const steps: fc.Arbitrary<Step[]> = fc.array(fc.record({ afterMs, does }), {
  minLength: 40,
  maxLength: 80,
  size: 'max',
})

it('publishes every event, in order, whatever fails and whoever writes, and leaves nothing in an outbox', async () => {
  mock.method(Math, 'random', () => 0.5) // Pauses are as long when a seed is replayed.
  await fc.assert(
    fc.asyncProperty(steps, async all => {
      const world = new World()
      for (const step of all) await world.step(step)
      const { published, refused, written, pending, lost } = await world.end()
      assert.deepEqual([pending, lost], [[], []])
      for (const [key, ids] of written) {
        const once = [...new Set(published.filter(id => id.startsWith(key)))]
        // What the log has refused may come late, or not at all.
        assert.deepEqual(
          once.filter(id => !refused.has(id)),
          ids.filter(id => !refused.has(id)),
        )
      }
    }),
    { numRuns: 50 },
  )
})
