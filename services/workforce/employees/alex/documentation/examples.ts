/** Uses of what is documented, taken word for word from tests. */
import { treeReader } from '../grammar.ts'
import { languageOf } from '../language.ts'
import { indentation } from './indentation.ts'
import type { Module } from './reference.ts'
import type { Example } from './result.ts'
import { typescript } from './typescript-teller.ts'

/** A test: what it is called, what stands in it, and the names that it uses. */
interface TestCase {
  readonly test: string
  readonly source: string
  readonly line: number
  readonly code: string
  readonly names: ReadonlySet<string>
}

const MOST_LINES = 30
/** Such a test may stand under each of thousands of names. */
const MOST_CHARACTERS = 2000

/** The shortest test for each entry that one uses by name. */
export async function examplesFor(
  modules: readonly Module[],
  tests: readonly { path: string; text: string }[],
): Promise<Example[]> {
  const cases: TestCase[] = []
  for (const { path, text } of tests) cases.push(...(await casesIn(path, text)))
  const shortestLast = cases
    .filter(({ code }) => code.length <= MOST_CHARACTERS && code.split('\n').length <= MOST_LINES)
    .toSorted((a, b) => a.code.length - b.code.length)
    .toReversed()
  const shortest = new Map(
    shortestLast.flatMap(each => [...each.names].map(name => [`${familyOf(each.source)} ${name}`, each] as const)),
  )
  return modules.flatMap(({ file, language, entries }) =>
    entries.flatMap(({ name }): Example[] => {
      const family = language === 'python' ? 'python' : 'script'
      const found = shortest.get(`${family} ${name}`)
      return found ? [{ name, file, test: found.test, source: found.source, line: found.line, code: found.code }] : []
    }),
  )
}

const familyOf = (path: string) => (languageOf(path) === 'python' ? 'python' : 'script')

async function casesIn(path: string, text: string): Promise<TestCase[]> {
  const language = languageOf(path)
  try {
    if (language === 'python') return await pythonCases(path, text)
    return language === 'typescript' || language === 'javascript' ? scriptCases(path, text) : []
  } catch (error) {
    // A test that is nested too deeply is no example for anybody.
    if (error instanceof RangeError) return []
    throw error
  }
}

/** Of `it('…', () => {…})` and `test('…', () => {…})`. */
function scriptCases(path: string, text: string): TestCase[] {
  const ts = typescript()
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const cases: TestCase[] = []
  const visit = (node: import('typescript').Node): void => {
    if (ts.isCallExpression(node) && /^(?:it|test)(?:\.only)?$/.test(node.expression.getText(source).slice(0, 20))) {
      const [name, ...rest] = node.arguments
      const body = rest.findLast(argument => ts.isArrowFunction(argument) || ts.isFunctionExpression(argument))?.body
      if (name && ts.isStringLiteralLike(name) && body) {
        const names = new Set<string>()
        const gather = (inner: import('typescript').Node): void => {
          if (ts.isIdentifier(inner)) names.add(inner.text)
          ts.forEachChild(inner, gather)
        }
        gather(body)
        const isBlock = ts.isBlock(body)
        const code = dedented(isBlock ? text.slice(body.getStart(source) + 1, body.end - 1) : body.getText(source))
        cases.push({
          test: name.text,
          source: path,
          line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1,
          code,
          names,
        })
        return
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return cases
}

async function pythonCases(path: string, text: string): Promise<TestCase[]> {
  const { read } = await treeReader('python')
  return read(text, root =>
    root.descendantsOfType('function_definition').flatMap((node): TestCase[] => {
      const test = node?.childForFieldName('name')?.text ?? ''
      const body = node?.childForFieldName('body')
      if (!node || !body || !test.startsWith('test')) return []
      const names = new Set(body.descendantsOfType('identifier').map(identifier => identifier?.text ?? ''))
      const code = dedented(`${' '.repeat(body.startPosition.column)}${body.text}`)
      return [{ test, source: path, line: node.startPosition.row + 1, code, names }]
    }),
  )
}

/** Without empty lines around it and the indentation that all its lines have. */
function dedented(text: string): string {
  const lines = text
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd()
    .split('\n')
  const depth = indentation(lines)
  return lines.map(line => line.slice(depth)).join('\n')
}
