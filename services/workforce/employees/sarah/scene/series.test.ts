import assert from 'node:assert/strict'
import { it } from 'node:test'
import { differenceEuclidean } from 'culori'
import fc from 'fast-check'
import { contrast, SEEN } from '../colour/contrast.ts'
import { APART, MOST_SERIES } from './series.ts'
import { THEMES, themeOf } from './theme.ts'

const distance = differenceEuclidean('oklab')

it('the series of a chart have a colour each, seen on the ground, whatever the base colour', () => {
  const byte = fc.integer({ min: 0, max: 255 })
  const colour = fc.oneof(
    fc.tuple(byte, byte, byte),
    byte.map(grey => [grey, grey, grey] as const),
  )
  fc.assert(
    fc.property(colour, fc.constantFrom(...THEMES), ([red, green, blue], theme) => {
      const { series, ground } = themeOf({ name: 'a', base_color: `rgb(${red} ${green} ${blue})`, theme }, 1)
      assert.equal(series.length, MOST_SERIES)
      for (const [at, one] of series.entries()) {
        assert.ok(contrast(one, ground) >= SEEN, `${one} on ${ground}`)
        for (const other of series.slice(0, at))
          assert.ok(distance(one, other) >= APART, `${one} ${other} of ${series} on ${ground}`)
      }
    }),
    { numRuns: 2_000 },
  )
})
