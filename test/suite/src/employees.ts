/**
 * The employees' own tests, which measure results on thousands of labelled inputs, take a third of a run's time. They run where
 * something that they depend on has changed since they last passed.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './test-files.ts'

const FOLDER = 'services/workforce/employees/'

/** What their results depend on: themselves, their processes, the runtimes, and the versions of everything installed. */
const inputs = [
  FOLDER,
  'services/workforce/src/employee.ts',
  ...['libs/child-process', 'libs/onnxruntime', 'libs/embedding', 'libs/gguf', 'patches'],
  ...['package.json', 'pnpm-lock.yaml', '.ci/requirements.txt', '.ci/models.txt'],
]

const RECORD = 'test/suite/employees-passed.json'

/** Whether a file, or a bundle of files, is of the employees. */
export const isOfEmployees = (file: string): boolean => file.startsWith(FOLDER) || /\/bundles\/employees/.test(file)

/** The hash of all inputs as they are in this folder, in hexadecimal; undefined where git does not know them. */
export function inputsHash(): string | undefined {
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...inputs]
  const { status, stdout } = spawnSync('git', words, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
  if (status !== 0) return undefined
  const files = stdout.split('\0').filter(file => file !== '' && existsSync(join(root, file)))
  for (const input of inputs)
    if (!files.some(file => file === input || file.startsWith(input))) throw new Error(`${input} is not there`)
  const hash = createHash('sha256')
  for (const file of files.sort()) {
    const content = createHash('sha256')
      .update(readFileSync(join(root, file)))
      .digest('hex')
    hash.update(`${content} ${file}\n`)
  }
  return hash.digest('hex')
}

/** Whether their tests passed with the same inputs. */
export const havePassed = (): boolean => {
  const { inputs: passed } = JSON.parse(readFileSync(join(root, RECORD), 'utf8'))
  return inputsHash() === passed
}

/** Notes that they pass. Whoever commits the note has run all of them, with everything installed. */
export function recordPassed(): void {
  writeFileSync(join(root, RECORD), `${JSON.stringify({ inputs: inputsHash() }, undefined, 2)}\n`)
}

// As a command it says by its exit code whether they passed: `.ci/bare` asks.
if (import.meta.main && !havePassed()) process.exitCode = 1
