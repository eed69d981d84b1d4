/**
 * `pnpm test`: every test, one file more at a time than there are processor cores. `--all` adds what is too long for every run
 * (docs/testing.md). `--employees` runs the employees' tests only, and notes that they pass.
 */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { bundleFiles } from './bundles.ts'
import { havePassed, isOfEmployees, recordPassed } from './employees.ts'
import { runFiles } from './run-files.ts'
import { inOrder, numberOfCommit, ofThisRun } from './selection.ts'
import { slowest } from './slowest.ts'
import { homeOf, root, storms, testFiles } from './test-files.ts'

const all = process.argv.includes('--all')
if (all) {
  process.env.TEST_ALL = '1'
  // A day's runs are alike, and tomorrow's throw other dice.
  process.env.MILLHAND_SEED ??= new Date().toISOString().slice(0, 10).replaceAll('-', '')
} else {
  // So are the runs of a commit, and each commit throws other dice.
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

/**
 * Two storms at once, a dozen processes each, leave no processor to those who wait for something: a whole run has one at a time,
 * beside the rest.
 */
const [stormsInTurn, others] = all
  ? [files.filter(file => storms.includes(file)), files.filter(file => !storms.includes(file))]
  : [[], files]

// Until the end is seen: a run that is cut off has failed.
process.exitCode = 1
const groups = [
  { files: others, atOnce: all ? AT_ONCE - 1 : AT_ONCE },
  { files: stormsInTurn, atOnce: 1 },
]
const { passed, failed, skipped, flaky, took } = await runFiles(root, groups, process.stdout)
process.stdout.write(slowest(took))
for (const test of flaky) process.stdout.write(`failed beside others and passed alone, to be mended: ${test}\n`)
process.stdout.write(`tests: ${passed} passed, ${failed} failed, ${skipped} skipped\n`)
if (failed === 0 && passed > 0) process.exitCode = undefined
if (ofEmployees && passed > 0 && failed + skipped + flaky.length === 0) recordPassed()
