/** Runs the tests given against code that nobody has read: in WebAssembly, without files, network and processes. */
import { type Language, languageOf } from '../../language.ts'
import type { CodeFile } from '../result.ts'
import type { Told } from './told.ts'

/** What came of the tests of one language. */
interface TestRun extends Told {
  readonly language: 'javascript' | 'python'
}

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
