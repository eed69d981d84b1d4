import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bundleFiles, filesOf } from './bundles.ts'
import { inOrder, ofThisRun } from './selection.ts'
import { slowest } from './slowest.ts'
import { homeOf, root, storms, testFiles } from './test-files.ts'

const bundled = bundleFiles().flatMap(file => filesOf(/([a-z]+)\.ts$/.exec(file)?.[1] ?? ''))
const own = testFiles().filter(file => homeOf(file) === 'own')

test('each file of tests is run once: alone or in one bundle', () => {
  assert.deepEqual([...own, ...bundled].sort(), testFiles())
  assert.ok(bundled.length > 250, `${bundled.length} share a process`)
  for (const file of bundleFiles()) assert.ok(existsSync(join(root, file)), file)
})

test('a run has all files and one of the storms; a whole run has all', () => {
  for (const file of storms) assert.ok(own.includes(file), file)
  const chosen = ofThisRun(own, false)
  assert.equal(chosen.filter(file => storms.includes(file)).length, 1)
  assert.deepEqual([...new Set([...chosen, ...storms])].sort(), own)
  assert.deepEqual(ofThisRun(own, true), own)
  assert.deepEqual(ofThisRun(['a.test.ts'], false), ['a.test.ts'])
})

test('what takes longest begins first, and nothing is lost by it', () => {
  const ordered = inOrder(own)
  assert.deepEqual(ordered.toSorted(), own.toSorted())
  assert.equal(ordered[0], 'test/distributed/src/distributed.test.ts')
  assert.ok(ordered.indexOf('test/e2e/src/lifetime.test.ts') < 12)
  assert.deepEqual(inOrder(['a.test.ts', ...bundleFiles()]).at(-1), 'a.test.ts')
})

test('the slowest files are listed, the longest first, with their seconds', () => {
  const took = Array.from({ length: 12 }, (_, n) => ({ file: join(root, `${n}.test.ts`), ms: n * 1_000 }))
  const lines = slowest(took).trimEnd().split('\n')
  assert.deepEqual([lines[0], lines[1], lines.length], ['the slowest files:', '    11.0 s  11.test.ts', 11])
})
