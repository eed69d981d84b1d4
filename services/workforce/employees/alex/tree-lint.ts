/** Languages without a linter in memory: rules of our own over syntax trees. */
import { csharpReadings, type Reading } from './csharp-directives.ts'
import { type Found, type Linter, plain, type Rule, syntaxError } from './finding.ts'
import { type Node, type Query, treeReader } from './grammar.ts'
import type { Language } from './language.ts'
import { nameFaultsIn, phpNameRules } from './php-names.ts'
import { csharpRules } from './rules-csharp.ts'
import { goRules } from './rules-go.ts'
import { javaRules } from './rules-java.ts'
import { phpRules } from './rules-php.ts'
import { rubyRules } from './rules-ruby.ts'
import { rustRules } from './rules-rust.ts'
import type { Captured, TreeRule } from './tree-rule.ts'
import { type Broken, brokenIn, isUnparsed } from './unparsed.ts'

export type TreeLanguage = Exclude<Language, 'javascript' | 'typescript' | 'python'>

const rulesFor: Readonly<Record<TreeLanguage, Readonly<Record<string, TreeRule>>>> = {
  go: goRules,
  java: javaRules,
  ruby: rubyRules,
  php: phpRules,
  rust: rustRules,
  csharp: csharpRules,
}

/** Where the text has errors, the rules see what stands outside of them. */
export async function treeLinter(language: TreeLanguage): Promise<Linter> {
  const { read, queryOf } = await treeReader(language)
  const rules = Object.entries(rulesFor[language])
  let last: { readonly of: string; readonly reading: Reading } | undefined
  /** Of the readings of a text the first that can be parsed, else the last. */
  function readingOf(text: string): Reading {
    if (last?.of === text) return last.reading
    let reading: Reading = { text, left: [] }
    if (language === 'csharp')
      for (reading of csharpReadings(text)) if (read(reading.text, root => !root.hasError)) break
    last = { of: text, reading }
    return reading
  }
  return {
    lint(text) {
      const reading = readingOf(text)
      return read(reading.text, root => {
        const broken = brokenIn(root, reading.text)
        const found = rules.flatMap(([id, rule]) => foundBy(id, rule, queryOf(rule.query), broken))
        if (language === 'php') found.push(...namesFound(queryOf(phpFunctions), broken))
        return root.hasError ? [brokenAt(root), ...found] : found
      })
    },
    parses: text => read(readingOf(text).text, root => !root.hasError),
    unparsed(text) {
      const reading = readingOf(text)
      return [...read(reading.text, root => brokenIn(root, reading.text).parts), ...reading.left]
    },
  }
}

function foundBy(id: string, known: TreeRule, query: Query, { parts, roots }: Broken): Found[] {
  const { holds, replace, message, rule } = known
  const seen = new Set<number>()
  const matches = roots.flatMap(root => query.matches(root, { matchLimit: MOST_MATCHES }))
  return matches.flatMap(({ captures }) => {
    const captured = Object.fromEntries(captures.map(({ name, node }) => [name, node])) as Captured
    const { at } = captured
    if (!at || seen.has(at.startIndex) || isUnparsed(parts, at.startIndex)) return []
    if (holds && !holds(captured)) return []
    seen.add(at.startIndex)
    const change = replace?.(captured)
    const edits = change ? [{ start: change.node.startIndex, end: change.node.endIndex, text: change.text }] : []
    const told = typeof message === 'string' ? message : message(captured)
    return { ...foundAt(id, { message: told, rule }, at), edits }
  })
}

function foundAt(id: string, { message, rule }: { readonly message: string; readonly rule: Rule }, at: Node): Found {
  const [severity, category, why, fix] = rule
  return {
    rule: id,
    severity,
    category,
    line: at.startPosition.row + 1,
    column: at.startPosition.column + 1,
    endLine: at.endPosition.row + 1,
    message: plain(message),
    why,
    fix,
    edits: [],
  }
}

const phpFunctions =
  '[(function_definition parameters: (_) @parameters body: (_) @body) (method_declaration parameters: (_) @parameters body: (_) @body)]'

const namesFound = (query: Query, { roots }: Broken): Found[] =>
  roots.flatMap(root =>
    query.matches(root, { matchLimit: MOST_MATCHES }).flatMap(({ captures }) => {
      const nodes = Object.fromEntries(captures.map(({ name, node }) => [name, node]))
      const faults = nodes.body ? nameFaultsIn(nodes.body, nodes.parameters ?? null) : []
      return faults.map(({ id, at }) => foundAt(id, phpNameRules[id], at))
    }),
  )

/** Of matches that are open at once: what keeps a query over a hostile tree short. */
const MOST_MATCHES = 256

function brokenAt(root: Node): Found {
  let node = root
  for (;;) {
    const worse = node.isError ? undefined : node.children.find(child => child?.hasError || child?.isMissing)
    if (!worse) break
    node = worse
  }
  const what = node.isMissing ? `${node.type} is missing here.` : 'This can not be read.'
  return syntaxError(node.startPosition.row + 1, node.startPosition.column + 1, what)
}
