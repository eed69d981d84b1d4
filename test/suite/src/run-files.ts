/** Runs files of tests and counts what came of them. What failed beside others is run once more, alone. */
import { once, setMaxListeners } from 'node:events'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

/** How many files are run again. Where more fail, it is no accident. */
const MOST_AGAIN = 2

/** Files below `root` of which at most `atOnce` run at the same time. Groups run beside each other. */
export interface Group {
  readonly files: readonly string[]
  readonly atOnce: number
}

interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export interface Outcome extends Counts {
  /** What failed beside others and passed alone, as `file: test`. Each is a fault of a test or of the product. */
  readonly unsteady: readonly string[]
  /** How long each file took. */
  readonly took: readonly { readonly file: string; readonly ms: number }[]
}

/** A test, or a suite by something else than its tests. */
interface Failure {
  /** Below the root. */
  readonly file: string
  readonly name: string
}

interface GroupOutcome extends Omit<Counts, 'failed'> {
  readonly failures: readonly Failure[]
  readonly took: Outcome['took']
}

/**
 * Runs all groups. Where tests of at most two files failed, these files are run again, one at a time: what passes then
 * counts as passed, and is named in `unsteady`. A file whose process ended before its tests did is not run again.
 */
export async function runFiles(root: string, groups: readonly Group[], out: NodeJS.WritableStream): Promise<Outcome> {
  const all = await Promise.all(groups.filter(({ files }) => files.length > 0).map(group => runGroup(root, group, out)))
  const failures = all.flatMap(each => each.failures)
  const sum = (which: 'passed' | 'skipped') => all.reduce((total, each) => total + each[which], 0)
  const unsteady: string[] = []
  for (const file of toRunAgain(failures)) {
    out.write(`run again, alone: ${file}\n`)
    const again = await runGroup(root, { files: [file], atOnce: 1 }, out)
    if (again.failures.length > 0 || again.passed === 0) continue
    unsteady.push(...failures.filter(each => each.file === file).map(({ name }) => `${file}: ${name}`))
  }
  return {
    passed: sum('passed') + unsteady.length,
    failed: failures.length - unsteady.length,
    skipped: sum('skipped'),
    unsteady,
    took: all.flatMap(each => each.took),
  }
}

function toRunAgain(failures: readonly Failure[]): string[] {
  const files = [...new Set(failures.map(({ file }) => file))]
  const areTests = failures.every(({ file, name }) => file.endsWith('.test.ts') && !name.endsWith(file))
  return areTests && files.length <= MOST_AGAIN ? files : []
}

async function runGroup(root: string, { files, atOnce }: Group, out: NodeJS.WritableStream): Promise<GroupOutcome> {
  const events = run({ files: files.map(file => join(root, file)), cwd: root, concurrency: atOnce })
  setMaxListeners(0, events)
  const failures: Failure[] = []
  const took: { file: string; ms: number }[] = []
  let [passed, skipped] = [0, 0]
  events.on('test:summary', ({ file, duration_ms, counts }) => {
    if (file === undefined) [passed, skipped] = [counts.passed, counts.skipped + counts.todo]
    else took.push({ file, ms: duration_ms })
  })
  events.on('test:fail', ({ name, file = '', todo, details: { error, type } }) => {
    if (todo !== undefined && todo !== false) return
    // The report has it at its end, and a run that is cut off has none.
    out.write(`failed: ${file}: ${name}: ${reasonOf(error)}\n`)
    const { failureType } = error as { failureType?: string }
    if (type !== 'suite' || failureType !== 'subtestsFailed') failures.push({ file: relative(root, file), name })
  })
  events.compose(new spec()).pipe(out, { end: false })
  await once(events, 'end')
  return { passed, skipped, failures, took }
}

/** The runner wraps what a test has thrown. */
function reasonOf(error: Error): string {
  const { cause = error } = error
  return (cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)).slice(0, 4_000)
}
