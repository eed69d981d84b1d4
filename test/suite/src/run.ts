/**
 * `pnpm test`: every test, one file more at a time than there are processor cores. `--all` adds what is too long for every run
 * (docs/testing.md). `--employees` runs the employees' tests only, and notes that they pass.
 */
import { once, setMaxListeners } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { bundleFiles } from './bundles.ts'
import { havePassed, isOfEmployees, recordPassed } from './employees.ts'
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

const took: { readonly file: string; readonly ms: number }[] = []
let skipped = 0

await Promise.all([runFiles(others, all ? AT_ONCE - 1 : AT_ONCE), runFiles(stormsInTurn, 1)])
process.stdout.write(slowest(took))
if (ofEmployees && process.exitCode === undefined && skipped === 0) recordPassed()

async function runFiles(chosen: readonly string[], concurrency: number): Promise<void> {
  if (chosen.length === 0) return
  const events = run({ files: chosen.map(file => join(root, file)), cwd: root, concurrency })
  setMaxListeners(0, events)
  events.on('test:summary', ({ file, duration_ms }) => {
    if (file !== undefined) took.push({ file, ms: duration_ms })
  })
  events.on('test:fail', ({ name, file, todo, details }) => {
    if (todo !== undefined && todo !== false) return
    process.exitCode = 1
    // The report has it at its end, and a run that is cut off has none.
    process.stdout.write(`failed: ${file ?? ''}: ${name}: ${reasonOf(details.error)}\n`)
  })
  events.on('test:pass', ({ skip }) => {
    if (skip !== undefined) skipped++
  })
  events.compose(new spec()).pipe(process.stdout, { end: false })
  await once(events, 'end')
}

/** The runner wraps what a test has thrown. */
function reasonOf(error: Error): string {
  const { cause = error } = error
  return (cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)).slice(0, 4_000)
}
