/** What is measured on code, as if a language model had written it. */
import type { Brief } from '../../src/brief.ts'
import { checks } from './checks.ts'
import type { CodeFile, Input, Result } from './result.ts'

export async function measured(
  files: readonly CodeFile[],
  input: Input = {},
  {
    constraints = {},
    language = 'typescript',
    explanation = 'It counts units.',
  }: Partial<Brief> & Partial<Pick<Result, 'language' | 'explanation'>> = {},
) {
  const brief: Brief<Input> = { topic: 'code', tone: '', constraints, files: [], seed: 1, input }
  const result: Result = { language, files, explanation, assumptions: [] }
  const all = await checks(brief, { result, text: '' })
  return Object.fromEntries(all.map(({ id, pass, value }) => [id, { pass, value: String(value) }]))
}

export const testsOf = async (
  files: readonly CodeFile[],
  tests: readonly CodeFile[],
  given: readonly CodeFile[] = [],
) => {
  const told = await measured(files, { tests, files: given })
  return told.tests_pass_javascript ?? told.tests_pass_python
}
