/** Measures code: whether it reads, whether its types hold, and whether it passes the tests given. */
import type { Check } from '../../src/answer.ts'
import type { Brief } from '../../src/brief.ts'
import type { Doubts, Isolate, SlowChecks } from '../../src/kind.ts'
import { wishes } from '../../src/text/constraint-checks.ts'
import { textIn } from '../../src/text/text-files.ts'
import { type Language, languageOf } from '../language.ts'
import { linterFor } from '../lint.ts'
import { isTyped, typeFaults } from '../type-faults.ts'
import { TooLong } from '../within.ts'
import { explanationChecks } from './explained.ts'
import { type IsolatedTests, isolated } from './isolated.ts'
import type { CodeFile, Input, Result } from './result.ts'
import { isRun, runTests } from './sandbox/run-tests.ts'

/** An answer without doubts is measured when it is checked for them, and its tests are not run again. */
const measured = new WeakMap<Result, { readonly brief: Brief<Input>; readonly checks: Promise<readonly Check[]> }>()

export const checks: SlowChecks<Input, Result> = (brief, { result }, asked) => {
  const before = measured.get(result)
  if (before?.brief === brief) return before.checks
  const now = { brief, checks: measure(brief, result, asked) }
  measured.set(result, now)
  return now.checks
}

async function measure(brief: Brief<Input>, result: Result, asked: Parameters<typeof checks>[2]): Promise<Check[]> {
  const { files, explanation } = result
  const all = { given: filesGiven(brief), written: files }
  const given = brief.input.tests ?? []
  const ran = [...testFiles(given), ...(await tests(given, all, asked?.isolate ?? isolatedHere))]
  return [
    ...(brief.input.language === undefined ? [] : [languageAsked(brief.input.language, result)]),
    ...(await readable(files)),
    ...types(all),
    ...(await undefinedNames(files)),
    ...ran,
    ...explanationChecks({
      explanation,
      ...namesOf(brief, all),
      testsPassed: ran.length > 1 && ran.every(({ pass }) => pass),
    }),
    ...wishes(brief.constraints, explanation, [...files.map(({ text }) => text), explanation].join('\n')),
  ]
}

/** The checks that fail: code with any of them is asked for again. */
export const doubts: Doubts<Input, Result> = async (brief, result, asked) =>
  (await checks(brief, { result, text: '' }, asked)).flatMap(({ id, pass, value, target }) =>
    pass || id === EVERY_TEST_FILE_RUN ? [] : `${id.replaceAll('_', ' ')}: ${value}, and should be ${target}`,
  )

/** What the answer says of itself is not enough: a file must have the ending. */
function languageAsked(target: Language, { language, files }: Result): Check {
  const hasFile = files.some(({ path }) => languageOf(path) === target)
  const value = language !== target || hasFile ? language : `no file of ${target}`
  return { id: 'language', pass: value === target, value, target }
}

interface Files {
  readonly given: readonly CodeFile[]
  readonly written: readonly CodeFile[]
}

const filesGiven = ({ input, files }: Brief<Input>): CodeFile[] => [
  ...(input.files ?? []),
  ...files.map((file, at) => ({ path: file.name, text: textIn(file, `files[${at}]`) })),
]

/** Where a name of the explanation may stand: in the code, the tests and the brief. */
function namesOf({ topic, constraints, input }: Brief<Input>, { given, written }: Files) {
  const all = [...written, ...given, ...(input.tests ?? [])]
  return {
    paths: all.map(({ path }) => path),
    known: [
      topic,
      input.description ?? '',
      ...(constraints.must_include ?? []),
      ...all.flatMap(({ path, text }) => [path, text]),
    ].join('\n'),
  }
}

/** Nothing where there is no parser for any of them. */
async function readable(files: readonly CodeFile[]): Promise<Check[]> {
  const known = files.filter(({ path }) => languageOf(path) !== undefined)
  if (known.length === 0) return []
  const broken: string[] = []
  for (const { path, text } of known) if (!(await parses(path, text))) broken.push(path)
  const value = listed(known.length - broken.length, broken)
  return [{ id: 'files_parse', pass: broken.length === 0, value, target: `${known.length}` }]
}

async function parses(path: string, text: string): Promise<boolean> {
  const language = languageOf(path)
  try {
    return language === undefined || (await linterFor(language, path)).parses(text)
  } catch {
    return false // It is too much for the parser.
  }
}

function types({ given, written }: Files): Check[] {
  if (!written.some(isTyped)) return []
  const errors = typeErrors(given, written)
  return [{ id: 'no_type_errors', pass: errors.length === 0, value: listed(errors.length, errors), target: '0' }]
}

function typeErrors(given: readonly CodeFile[], written: readonly CodeFile[]): string[] {
  try {
    return typeFaults(given, written, { milliseconds: MOST_MILLISECONDS }).map(
      ({ path, line, code, message }) => `${path}:${line} TS${code} ${message}`,
    )
  } catch (error) {
    if (error instanceof TooLong) return ['Its types take the compiler too long.']
    if (error instanceof RangeError) return ['It is nested too deeply for the compiler.']
    throw error
  }
}

const MOST_MILLISECONDS = 20_000

/** Python has no types to check; what stands nowhere is what its compiler would let pass. Nothing where no file can be read. */
async function undefinedNames(files: readonly CodeFile[]): Promise<Check[]> {
  const linter = await linterFor('python', '')
  const found: string[] = []
  let read = 0
  for (const { path, text } of files) {
    if (languageOf(path) !== 'python' || !(await parses(path, text))) continue
    read++
    const unknown = linter.lint(text).filter(({ rule }) => rule === UNDEFINED_NAME)
    found.push(...unknown.map(({ line, message }) => `${path}:${line} ${message}`))
  }
  if (read === 0) return []
  return [{ id: 'no_undefined_names', pass: found.length === 0, value: listed(found.length, found), target: '0' }]
}

const UNDEFINED_NAME = 'F821'

/** Those in other languages can't be run here, and nobody knows whether the code passes them. */
function testFiles(given: readonly CodeFile[]): Check[] {
  if (given.length === 0) return []
  const others = given.filter(({ path }) => !isRun(path)).map(({ path }) => `${path} can’t be run here`)
  const value = listed(given.length - others.length, others)
  return [{ id: EVERY_TEST_FILE_RUN, pass: others.length === 0, value, target: `${given.length}` }]
}

const EVERY_TEST_FILE_RUN = 'every_test_file_run'

async function tests(given: readonly CodeFile[], files: Files, isolate: Isolate): Promise<Check[]> {
  const runs = await runTests(given, files, isolate)
  return runs.map(({ language, passed, total, faults }) => ({
    id: `tests_pass_${language}`,
    pass: total > 0 && passed === total && faults.length === 0,
    value: listed(passed, faults),
    target: total === 0 ? 'at least 1' : `${total}`,
  }))
}

/** Where no executor is there to start a process: for what is our own. */
const isolatedHere: Isolate = async work => ({ outcome: await isolated(work as IsolatedTests) })

/** A number, and what speaks against it. */
function listed(count: number, faults: readonly string[]): string {
  if (faults.length === 0) return `${count}`
  const shown = faults.slice(0, 3).map(fault => fault.replaceAll(/\s+/g, ' ').slice(0, 200).toWellFormed())
  return `${count}: ${shown.join('; ')}${faults.length > 3 ? '; …' : ''}`
}
