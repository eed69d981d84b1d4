/**
 * `pnpm test`: every test, one file more at a time than there are processor cores. `--all` adds what is too long for every run
 * (docs/testing.md). `--employees` runs the employees' tests only, and notes that they pass.
 */
import { setMaxListeners } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { bundleFiles } from './bundles.ts'
import { havePassed, isOfEmployees, recordPassed } from './employees.ts'
import { inOrder, numberOfCommit, ofThisRun } from './selection.ts'
import { slowest } from './slowest.ts'
import { homeOf, root, testFiles } from './test-files.ts'

const all = process.argv.includes('--all')
if (all) {
  process.env.TEST_ALL = '1'
  // A day's runs are alike, and tomorrow's throw other dice.
  process.env.MILLHAND_SEED ??= new Date().toISOString().slice(0, 10).replaceAll('-', '')
} else {
  process.env.TEST_PART ??= String(numberOfCommit())
}
// Several hundred processes start: each reads what the first compiled, which halves what a start costs.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/compiled')

/** Many tests wait for something most of the time: the processors are still busy. */
const AT_ONCE = availableParallelism() + 1

const ofEmployees = process.argv.includes('--employees')
const employeesPassed = !all && !ofEmployees && havePassed()
const own = testFiles().filter(file => homeOf(file) === 'own')
const selected = ofThisRun([...bundleFiles(), ...own], { all, employeesPassed })
const files = inOrder(ofEmployees ? selected.filter(isOfEmployees) : selected)
if (employeesPassed) process.stdout.write('the tests of the employees passed with the same inputs, and are left out\n')
const events = run({ files: files.map(file => join(root, file)), cwd: root, concurrency: AT_ONCE })
setMaxListeners(0, events)

const took: { readonly file: string; readonly ms: number }[] = []
events.on('test:summary', ({ file, duration_ms }) => {
  if (file !== undefined) took.push({ file, ms: duration_ms })
})
events.on('test:fail', ({ todo }) => {
  if (todo === undefined || todo === false) process.exitCode = 1
})
let skipped = 0
events.on('test:pass', ({ skip }) => {
  if (skip !== undefined) skipped++
})
events.compose(new spec()).pipe(process.stdout)
events.once('end', () => {
  process.stdout.write(slowest(took))
  if (ofEmployees && process.exitCode === undefined && skipped === 0) recordPassed()
})
