/** Runs the tests given against code that nobody has read: in WebAssembly, in a process of its own that goes after it. */
import type { Isolate } from '../../../src/kind.ts'
import { type Language, languageOf } from '../../language.ts'
import type { IsolatedTests } from '../isolated.ts'
import type { CodeFile } from '../result.ts'
import { type Verdict, verdictOn } from './outcome.ts'
import { toCommonJs } from './to-commonjs.ts'

/** What came of the tests of one language. */
interface TestRun extends Verdict {
  readonly language: IsolatedTests['language']
}

/** Tests in a language that can’t be run here are left out. */
export async function runTests(
  tests: readonly CodeFile[],
  { given, written }: { readonly given: readonly CodeFile[]; readonly written: readonly CodeFile[] },
  isolate: Isolate,
): Promise<TestRun[]> {
  const paths = new Set([...written, ...tests].map(({ path }) => path))
  // Tests are as they were given, whatever the answer has under their paths.
  const testPaths = new Set(tests.map(({ path }) => path))
  const code = [...given.filter(({ path }) => !paths.has(path)), ...written.filter(({ path }) => !testPaths.has(path))]
  const runs: TestRun[] = []
  const run = async (work: IsolatedTests, of: readonly CodeFile[]) => {
    const { outcome, ended } = await isolate(work)
    const said = ended === undefined ? outcome : { results: [], ended: ENDED[ended] }
    runs.push({
      language: work.language,
      ...verdictOn(
        said,
        of.map(({ path }) => path),
      ),
    })
  }
  const script = tests.filter(({ path }) => isOneOf(path, SCRIPTS))
  if (script.length > 0) {
    const sources = Object.fromEntries([...code, ...script].flatMap(toCommonJs))
    await run({ language: 'javascript', sources, tests: script.map(({ path }) => path) }, script)
  }
  const python = tests.filter(({ path }) => isOneOf(path, ['python']))
  if (python.length > 0) await run({ language: 'python', code, tests: python }, python)
  return runs
}

const ENDED = {
  crashed: 'the tests ended their process, or took more time than they may',
  out_of_memory: 'the tests took more memory than they may',
} as const

const SCRIPTS = ['javascript', 'typescript'] as const

/** Whether a test is in a language that can be run here. */
export const isRun = (path: string): boolean => isOneOf(path, [...SCRIPTS, 'python'])

const isOneOf = (path: string, languages: readonly Language[]) =>
  languages.some(language => language === languageOf(path))
