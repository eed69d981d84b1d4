/** A file of tests in a test runner of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestLine } from './line-reporter.ts'

/** The end of each test as it comes; `env` is besides our own environment. */
export async function* linesOf(
  file: string,
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): AsyncGenerator<TestLine> {
  const words = [
    '--disable-warning=ExperimentalWarning',
    '--test',
    `--test-reporter=${join(import.meta.dirname, 'line-reporter.ts')}`,
    '--test-reporter-destination=stdout',
    file,
  ]
  // Where it is set, the child would report to our own runner.
  const { NODE_TEST_CONTEXT: _, ...ours } = process.env
  const child = spawn(process.execPath, words, { cwd, env: { ...ours, ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  for await (const text of createInterface({ input: child.stdout })) yield JSON.parse(text)
  await ended
}
