/** Runs files of tests and counts what came of them. What failed beside others is run once more, alone. */
import { once, setMaxListeners } from 'node:events'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

/** More than this is no flaky test. */
const MAX_RERUN_FILES = 2

/** Files below `root` of which at most `atOnce` run at the same time. Groups run beside each other. */
export interface Group {
  readonly files: readonly string[]
  readonly atOnce: number
}

export interface Outcome {
  /** Tests, without suites. */
  readonly passed: number
  /** Tests, and suites whose hooks failed. */
  readonly failed: number
  /** Tests and suites. */
  readonly skipped: number
  /** What failed beside others and passed alone, as `file: test`. Each is a fault of a test or of the product. */
  readonly flaky: readonly string[]
  /** How long each file took. */
  readonly took: readonly { readonly file: string; readonly ms: number }[]
}

/** A test, or a suite or the process of a file by something else than its tests. */
interface Failure {
  /** Below the root. */
  readonly file: string
  readonly name: string
  readonly reason: string
  readonly isTest: boolean
}

interface GroupOutcome {
  /** Whether the process of each file lived until its tests were over. */
  readonly isWhole: boolean
  readonly passed: number
  readonly skipped: number
  readonly failures: readonly Failure[]
  readonly took: Outcome['took']
}

/**
 * Runs all groups. Where tests of at most two files failed, these files are run again, one at a time: what passes then
 * counts as passed, and is named in `flaky`. A file whose process fails after its tests ended is run again, too. Nothing
 * is run again where a process ended before its tests did, where a test of a contract suite failed, where a property was
 * broken, which takes its random data, or where a promise under faults was: there once is too often.
 */
export async function runFiles(root: string, groups: readonly Group[], out: NodeJS.WritableStream): Promise<Outcome> {
  const all = await Promise.all(groups.filter(({ files }) => files.length > 0).map(group => runGroup(root, group, out)))
  const failures = all.flatMap(each => each.failures)
  const flaky: Failure[] = []
  for (const file of all.every(each => each.isWhole) ? toRerun(failures) : []) {
    out.write(`run again, alone: ${file}\n`)
    const { isWhole, passed, skipped, failures: others } = await runGroup(root, { files: [file], atOnce: 1 }, out)
    const isGood = isWhole && passed > 0 && skipped === 0 && others.length === 0
    if (isGood) flaky.push(...failures.filter(each => each.file === file))
  }
  const sum = (which: 'passed' | 'skipped') => all.reduce((total, each) => total + each[which], 0)
  return {
    passed: sum('passed') + flaky.filter(({ isTest }) => isTest).length,
    failed: failures.length - flaky.length,
    skipped: sum('skipped'),
    flaky: flaky.map(({ file, name }) => `${file}: ${name}`),
    took: all.flatMap(each => each.took),
  }
}

function toRerun(failures: readonly Failure[]): string[] {
  const files = [...new Set(failures.map(({ file }) => file))]
  return files.length <= MAX_RERUN_FILES && failures.every(mayRerun) ? files : []
}

const mayRerun = ({ file, reason }: Failure) =>
  !file.endsWith('.contract.ts') && !file.startsWith('test/faults/') && !reason.includes('Property failed after')

async function runGroup(root: string, { files, atOnce }: Group, out: NodeJS.WritableStream): Promise<GroupOutcome> {
  const events = run({ files: files.map(file => join(root, file)), cwd: root, concurrency: atOnce })
  setMaxListeners(0, events)
  const failures: Failure[] = []
  const took: { file: string; ms: number }[] = []
  const late = new Map<string, string>()
  let [passed, skipped] = [0, 0]
  events.on('test:diagnostic', ({ message, file = '' }) => {
    if (message.includes('after the test ended')) late.set(file, `${late.get(file) ?? ''}\n${message}`)
  })
  events.on('test:summary', ({ file, duration_ms, counts }) => {
    if (file === undefined) {
      passed = counts.passed
      skipped += counts.skipped + counts.todo
    } else took.push({ file, ms: duration_ms }) // A process that was ended sends none.
  })
  events.on('test:pass', ({ skip, details }) => {
    if (skip !== undefined && details.type === 'suite') skipped++ // The runner's count has tests alone.
  })
  events.on('test:fail', ({ name, file = '', todo, details: { error, type } }) => {
    if (todo !== undefined && todo !== false) return
    const isProcess = name === file
    const reason = isProcess ? `${endOf(error)}${late.get(file) ?? ''}` : reasonOf(error)
    // The report has it at its end, and a run that is cut off has none.
    out.write(`failed: ${file}: ${name}: ${reason}\n`)
    const isSuite = type === 'suite'
    const { failureType } = error as { failureType?: string }
    if (isSuite && failureType === 'subtestsFailed') return
    const failure = isProcess ? { name: reason, isTest: false } : { name, isTest: !isSuite }
    failures.push({ file: relative(root, file), reason, ...failure })
  })
  events.compose(new spec()).pipe(out, { end: false })
  await once(events, 'end')
  return { isWhole: took.length === files.length, passed, skipped, failures, took }
}

/** Such as a library that crashes, or a promise that is rejected, when the tests are over. */
function endOf(error: Error): string {
  const { exitCode, signal } = error as { exitCode?: number | null; signal?: NodeJS.Signals | null }
  return `its process ended with ${signal ?? exitCode ?? 'no exit code'}`
}

/** The runner wraps what a test has thrown. */
function reasonOf(error: Error): string {
  const { cause = error } = error
  return (cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)).slice(0, 4_000)
}
