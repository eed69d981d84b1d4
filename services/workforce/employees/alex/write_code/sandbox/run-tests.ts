/** Runs the tests given against code that nobody has read: in WebAssembly, without files, network and processes. */
import { type Language, languageOf } from '../../language.ts'
import type { CodeFile } from '../result.ts'

/** What came of the tests of one language. */
export interface TestRun {
  readonly language: 'javascript' | 'python'
  readonly passed: number
  readonly total: number
  /** What did not pass, or why nothing ran to its end. */
  readonly faults: readonly string[]
}

/** What can be told of tests, before a language is. */
export type Told = Omit<TestRun, 'language'>

/** Tests in a language that can’t be run here are left out. */
export async function runTests(
  tests: readonly CodeFile[],
  { given, written }: { readonly given: readonly CodeFile[]; readonly written: readonly CodeFile[] },
): Promise<TestRun[]> {
  const paths = new Set([...written, ...tests].map(({ path }) => path))
  // Tests are as they were given, whatever the answer has under their paths.
  const testPaths = new Set(tests.map(({ path }) => path))
  const code = [...given.filter(({ path }) => !paths.has(path)), ...written.filter(({ path }) => !testPaths.has(path))]
  const runs: TestRun[] = []
  const script = tests.filter(({ path }) => isOneOf(path, ['javascript', 'typescript']))
  if (script.length > 0) {
    const { runJavaScript } = await import('./javascript.ts')
    runs.push({ language: 'javascript', ...(await runJavaScript(code, script)) })
  }
  const python = tests.filter(({ path }) => isOneOf(path, ['python']))
  if (python.length > 0) {
    const { runPython } = await import('./python.ts')
    runs.push({ language: 'python', ...(await runPython(code, python)) })
  }
  return runs
}

const isOneOf = (path: string, languages: readonly Language[]) =>
  languages.some(language => language === languageOf(path))

/** What all tests of one language together may take. */
const MOST_SECONDS = 5

/**
 * Says whether the time is over that tests have from now on. It is processor time, all threads of this process counted: no test
 * fails because the machine has much to do. Nothing in the sandbox can wait without using it.
 */
export function startTime(): () => boolean {
  const end = processorMs() + MOST_SECONDS * 1_000
  return () => processorMs() > end
}

export const STOPPED = `stopped after ${MOST_SECONDS} s`

function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** What code may hold. */
export const MOST_BYTES = 256 * 2 ** 20
