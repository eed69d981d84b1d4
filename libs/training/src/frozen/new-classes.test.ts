import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExamplesInvalid } from '../run/example-set.ts'
import { MOST_CLASSES, openNewClasses } from './new-classes.ts'

const at = (line: number) => ({ line, column: 'label' })

test('classes are the labels in the order in which they come', () => {
  const classes = openNewClasses()
  for (const [line, label] of ['b', 3, ' b ', true, '3'].entries()) classes.add(label, at(line + 1))
  assert.deepEqual(classes.labels(), ['b', '3', 'true'])
  assert.deepEqual([...(classes.tensor(5).data as BigInt64Array)], [0n, 1n, 0n, 2n, 1n])
  assert.doesNotThrow(() => classes.requireVariety({ first: 1, ...at(5) }))
})

test('what names no class is refused, and so are too many of them and one alone', () => {
  for (const label of ['', ' ', 1.5, Number.NaN, ['a'], {}, 'a'.repeat(65), '\ud800', 'a\nb', 'a\u0000b', '\u009f'])
    assert.throws(
      () => openNewClasses().add(label, at(7)),
      /^ExamplesInvalid: line 7, column `label`: must be the name/,
    )
  const classes = openNewClasses()
  classes.add(0, at(1))
  assert.throws(
    () => classes.requireVariety({ first: 1, ...at(1) }),
    error => error instanceof ExamplesInvalid && error.needsMore,
  )
  for (let label = 1; label < MOST_CLASSES; label++) classes.add(label, at(label + 1))
  assert.throws(() => classes.add('one more', at(101)), /line 101, .*there may be 100/)
  classes.add(99, at(102))
})
