import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeOf, metadataOf } from '@millhand/api'
import { byteRangeOf } from './range.ts'

describe('a slice of a file', () => {
  for (const [asked, size, start, length] of [
    [{}, 10, 0, 10],
    [{}, 0, 0, 0],
    [{ start: 0 }, 10, 0, 10],
    [{ start: 9 }, 10, 9, 1],
    [{ start: 2, end: 4 }, 10, 2, 3],
    [{ start: 2, end: 2 }, 10, 2, 1],
    [{ start: 2, end: 10 }, 10, 2, 8],
    [{ start: 2, end: 4_294_967_295 }, 10, 2, 8],
    [{ end: 3 }, 10, 0, 4],
    [{ suffix: 3 }, 10, 7, 3],
    [{ suffix: 10 }, 10, 0, 10],
    [{ suffix: 11 }, 10, 0, 10],
    [{ suffix: 5 }, 0, 0, 0],
  ] as const) {
    it(`${JSON.stringify(asked)} of ${size} bytes is ${length} from ${start}`, () => {
      assert.deepEqual(byteRangeOf(asked, size), { start, length })
    })
  }

  for (const [asked, size, code] of [
    [{ start: 10 }, 10, 'range_not_satisfiable'],
    [{ start: 10, end: 12 }, 10, 'range_not_satisfiable'],
    [{ start: 0 }, 0, 'range_not_satisfiable'],
    [{ end: 0 }, 0, 'range_not_satisfiable'],
    [{ suffix: 0 }, 10, 'range_not_satisfiable'],
    [{ suffix: 0 }, 0, 'range_not_satisfiable'],
    [{ start: 4, end: 3 }, 10, 'invalid_parameter'],
    [{ start: 12, end: 11 }, 10, 'invalid_parameter'],
    [{ start: 0, suffix: 1 }, 10, 'invalid_parameter'],
    [{ end: 1, suffix: 1 }, 10, 'invalid_parameter'],
  ] as const) {
    it(`${JSON.stringify(asked)} of ${size} bytes is ${code}`, () => {
      assert.throws(
        () => byteRangeOf(asked, size),
        error => {
          assert.equal(codeOf(error), code)
          if (code === 'range_not_satisfiable') assert.deepEqual(metadataOf(error), { size: String(size) })
          return true
        },
      )
    })
  }
})
