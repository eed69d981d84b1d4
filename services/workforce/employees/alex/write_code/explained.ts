/** What an explanation says of its code, as checks: the names that it uses, and the runs that it tells of. */
import type { Check } from '../../src/answer.ts'
import { wordsCheck } from '../../src/claims/claim-checks.ts'
import { sentencesOf } from '../../src/text/sentences.ts'

export interface Explained {
  readonly explanation: string
  /** Paths of all files, written, given and of tests. */
  readonly paths: readonly string[]
  /** All code and all of the brief: where a name may stand. */
  readonly known: string
  /** Whether tests were run here, and each passed. */
  readonly testsPassed: boolean
}

/**
 * Two checks. Functions, files, classes and options that the explanation names must stand in the code or the brief; and it may
 * say that tests pass only where they ran and passed. What else it claims, such as how the code works, is not checked.
 */
export function explanationChecks(explained: Explained): Check[] {
  const names = namesMissing(explained)
  const runs = runsNobodyMade(explained)
  return [
    { id: 'explanation_names_exist', pass: names.length === 0, value: listed(names), target: '0' },
    wordsCheck('explanation_tells_of_no_other_runs', explained.explanation, runs.length, listed(runs)),
  ]
}

function namesMissing({ explanation, paths, known }: Explained): string[] {
  const words = new Set(known.match(identifier))
  const files = new Set(paths.flatMap(path => [path, path.slice(path.lastIndexOf('/') + 1)]))
  const isFile = (name: string) => files.has(name.replace(/^\.\//, '')) || known.includes(name)
  const missing = sentencesOf(explanation.replaceAll(blocks, '\n')).flatMap(({ start, end }) => {
    const sentence = explanation.replaceAll(blocks, '\n').slice(start, end)
    const inCode = [...sentence.matchAll(spans)].flatMap(({ 1: code = '', index }) =>
      isContrasted(sentence, index) ? [] : codeNames(code),
    )
    const plain = sentence.replaceAll(spans, ' ')
    const inWords = [...plain.matchAll(bare)].flatMap(({ 0: name, index }) =>
      isContrasted(plain, index) || noNames.test(name) || plural.test(plain.slice(index + name.length - 1))
        ? []
        : [name.replace('(', '')],
    )
    return [...inCode, ...inWords].filter(name =>
      fileName.test(name) ? !isFile(name) : name.startsWith('--') ? !known.includes(name) : !words.has(name),
    )
  })
  return [...new Set(missing)]
}

const blocks = /^ {0,3}```[^\n]*\n[\s\S]*?(?:^ {0,3}```|(?![\s\S]))/gm
const spans = /`([^`\n]{1,200})`/g
const identifier = /[\p{L}_$][\p{L}\p{N}_$]*/gu
const fileName = /^[\w./-]*\.(?:[cm]?[jt]sx?|py|go|java|rb|php|rs|cs|json|ya?ml|toml|md|txt|csv|sql|html?|css|sh)$/
/** Outside of code: a name with a capital or a line within, a call, an error, a file. */
const bare =
  /(?<![\p{L}\p{N}_$./-])(?:[a-z][a-z\d]{1,40}(?:[A-Z][a-z\d]{0,40}){1,6}(?![\p{L}\p{N}])|[a-z][a-z\d]{0,40}(?:_[a-z\d]{1,40}){1,6}(?![\p{L}\p{N}_])|[\p{L}_$][\p{L}\p{N}_$]{1,60}\((?=[^()\n]{0,60}\))|[A-Z][A-Za-z]{1,40}(?:Error|Exception)(?!\p{L})|[\w/-]{1,80}\.(?:[cm]?[jt]sx?|py|go|java|rb|php|rs|cs)(?![\p{L}\p{N}_(]))/gu

/** Of a call or a path of names the names, of a command its files and options; nothing of values. */
function codeNames(code: string): string[] {
  const text = code.trim()
  if (fileName.test(text)) return [text]
  if (
    /^(?:@|#|new |await )?[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|\?\.)[\p{L}_$][\p{L}\p{N}_$]*)*(?:\(.*\))?$/u.test(text)
  )
    return (
      text
        .replace(/^(?:new|await) /, '')
        .replace(/\(.*$/, '')
        .match(identifier) ?? []
    ).filter(name => name.length > 1 && !values.has(name.toLowerCase()) && !methods.test(name))
  return text.split(/\s+/).filter(part => fileName.test(part) || /^--[a-z][\w-]*$/.test(part))
}

/** Values, and words of languages and their tools that stand for themselves. */
const values: ReadonlySet<string> = new Set(
  'true false null undefined none nil nan infinity self this void int float str string number boolean bool bigint object array list dict set tuple map char byte bytes any unknown never promise prototype regex regexp typescript javascript python node npm pnpm yarn deno bun pip pytest jest vitest unittest mypy eslint ruff strict iterable iterator const let var function class def async await return throw raise if else for while'.split(
    ' ',
  ),
)

/** Of HTTP. */
const methods = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/

/** What is written like a name of code and is none: platforms, and ways to write names. */
const noNames =
  /^(?:(?:Node|Vue|React|Next|Nuxt|Express|Angular|Ember|Three|D3|Chart|Socket)\.js|macOS|tvOS|watchOS|iPadOS|(?:lower_|upper_|screaming_)?snake_case|camelCase|lowerCamelCase|dotCase)$/u
/** “argument(s)” */
const plural = /^\((?:s|es)\)/

/** “Instead of `Array.sort`”, “does not use `eval`”: the code need not have it. */
const isContrasted = (sentence: string, index: number): boolean =>
  /(?<!\p{L})(?:instead of|rather than|unlike|without|not|no|never|n['’]t|avoids?|than|like|similar to|as in|replac\p{L}+|could|would|might|if you|you can|you may)(?!\p{L})[^.;:!?]{0,60}$/iu.test(
    sentence.slice(Math.max(0, index - 80), index),
  ) || /n['’]t [^.;:!?]{0,60}$/iu.test(sentence.slice(Math.max(0, index - 80), index))

/** That tests passed where none did, and what nobody measured: nothing but the tests of the brief is run. */
function runsNobodyMade({ explanation, testsPassed }: Explained): string[] {
  return sentencesOf(explanation).flatMap(({ start, end }) => {
    const sentence = explanation.slice(start, end)
    const tests = testsPassed ? [] : (sentence.match(passed) ?? [])
    return [...tests, ...(sentence.match(measured) ?? [])].map(found => `“${found}”`)
  })
}

const passed =
  /(?<!\p{L})(?<!(?:should|could|would|might|must|to|not|n['’]t|if|when|until) (?:\p{L}+ ){0,3})(?:(?:all|the|given|your|its|unit|existing|these|both|every|\d+) (?:\p{L}+ ){0,3}tests? (?:now |also |already |all )?(?:pass(?:es|ed)?|succeeds?|succeeded|(?:are|is|run|ran) green)|pass(?:es|ed) (?:all|the|your|every|each|both|\d+) (?:\p{L}+ ){0,3}tests?|(?:fully|thoroughly|well|already)[- ]tested|(?:i|we)(?: have|['’]ve)? (?:tested|ran|verified)|(?:has|have) been tested)(?!\p{L})/giu
const measured =
  /(?<!\p{L})(?:benchmark(?:s|ed)?(?: \p{L}+){0,2} (?:show|shows|showed|faster)|(?:i|we)(?: have|['’]ve)? (?:benchmarked|measured|profiled|fuzzed|deployed)|(?:\d+(?:\.\d+)?) ?(?:%|percent|x|×|times) (?:faster|slower|quicker|less memory|fewer allocations)|\d+ ?(?:%|percent) (?:test |code |line |branch )?coverage|(?:audited|certified|used in production|battle[- ]tested))(?!\p{L})/giu

const listed = (found: readonly string[]): string =>
  found.length === 0
    ? '0'
    : `${found.length}: ${found
        .slice(0, 5)
        .map(one => one.slice(0, 80).toWellFormed())
        .join(', ')}${found.length > 5 ? ', …' : ''}`
