/** Which files a run has, and in which order. docs/testing.md lists what is left out of every run, and why. */
import { spawnSync } from 'node:child_process'
import { bundleFiles } from './bundles.ts'
import { isOfEmployees } from './employees.ts'
import { onlyInAll, root, storms } from './test-files.ts'

/** What takes longest begins first, so that nothing long is left over at the end. */
const longest: readonly string[] = [
  'test/distributed/src/distributed.test.ts',
  ...storms,
  ...bundleFiles(),
  ...['schemathesis', 'lifetime', 'onnx-nodes'].map(name => `test/e2e/src/${name}.test.ts`),
  ...['keyed-crash', 'mutations'].map(name => `test/faults/src/${name}.test.ts`),
]

/** Which of the files a run has. */
export interface Selection {
  /** Everything. Otherwise the storms of other commits are left out, and the employees where their tests have passed. */
  readonly all: boolean
  readonly employeesPassed: boolean
}

export function ofThisRun(files: readonly string[], { all, employeesPassed }: Selection): string[] {
  if (all) return [...files]
  const present = storms.filter(file => files.includes(file))
  const chosen = present[numberOfCommit() % present.length]
  return files.filter(file => {
    if (storms.includes(file)) return file === chosen
    if (onlyInAll.includes(file)) return false
    return !(employeesPassed && isOfEmployees(file))
  })
}

export const inOrder = (files: readonly string[]): string[] =>
  files.toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b))

const rank = (file: string) => (longest.includes(file) ? longest.indexOf(file) : longest.length)

/** A number that each commit has another of; today's where there is no git. */
export function numberOfCommit(): number {
  const { stdout } = spawnSync('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: root, encoding: 'utf8' })
  const number = Number.parseInt(stdout ?? '', 16)
  return Number.isNaN(number) ? Math.floor(Date.now() / 86_400_000) : number
}
