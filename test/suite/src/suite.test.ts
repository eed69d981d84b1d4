import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { bundleFiles, filesOf } from './bundles.ts'
import { inputsHash } from './employees.ts'
import { inOrder, ofThisRun } from './selection.ts'
import { slowest } from './slowest.ts'
import { homeOf, onlyInAll, root, storms, testFiles } from './test-files.ts'

const bundled = bundleFiles().flatMap(file => filesOf(basename(file, '.ts')))
const own = testFiles().filter(file => homeOf(file) === 'own')

test('each file of tests is run once: alone or in one bundle', () => {
  assert.deepEqual([...own, ...bundled].sort(), testFiles())
  assert.ok(bundled.length > 250, `${bundled.length} share a process`)
  for (const file of bundleFiles()) assert.ok(existsSync(join(root, file)), file)
})

test('a run has all files that are not too long and one of the storms; a whole run has all', () => {
  for (const file of [...storms, ...onlyInAll]) assert.ok(own.includes(file), file)
  const some = { all: false, employeesPassed: false }
  const chosen = ofThisRun(own, some)
  assert.equal(chosen.filter(file => storms.includes(file)).length, 1)
  assert.ok(!chosen.some(file => onlyInAll.includes(file)))
  assert.deepEqual([...new Set([...chosen, ...storms, ...onlyInAll])].sort(), own)
  assert.deepEqual(ofThisRun(own, { ...some, all: true }), own)
  assert.deepEqual(ofThisRun(['a.test.ts'], some), ['a.test.ts'])
})

test('the employees are left out where their tests passed with the same inputs, and nothing else is', () => {
  const files = [...bundleFiles(), ...own]
  const left = ofThisRun(files, { all: false, employeesPassed: true })
  const out = ofThisRun(files, { all: false, employeesPassed: false }).filter(file => !left.includes(file))
  assert.ok(out.length > 10, `${out.length} are left out`)
  for (const file of out) assert.match(file, /^services\/workforce\/employees\/|^test\/suite\/src\/bundles\/employees/)
  assert.deepEqual(ofThisRun(files, { all: true, employeesPassed: true }), files)
  const hash = inputsHash()
  // Without git nothing is known to have passed.
  assert.ok(hash === undefined || /^[0-9a-f]{64}$/.test(hash))
})

test('what takes longest begins first, and nothing is lost by it', () => {
  const ordered = inOrder(own)
  assert.deepEqual(ordered.toSorted(), own.toSorted())
  assert.equal(ordered[0], 'test/distributed/src/distributed.test.ts')
  assert.ok(ordered.indexOf('test/e2e/src/lifetime.test.ts') < storms.length + 3)
  assert.deepEqual(inOrder(['a.test.ts', ...bundleFiles()]).at(-1), 'a.test.ts')
})

test('the slowest files are listed, the longest first, with their seconds', () => {
  const took = Array.from({ length: 12 }, (_, n) => ({ file: join(root, `${n}.test.ts`), ms: n * 1_000 }))
  const lines = slowest(took).trimEnd().split('\n')
  assert.deepEqual([lines[0], lines[1], lines.length], ['the slowest files:', '    11.0 s  11.test.ts', 11])
})
