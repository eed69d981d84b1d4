/** Languages without a linter in memory: rules of our own over syntax trees. */
import { type Found, type Linter, plain, syntaxError } from './finding.ts'
import { type Node, type Query, treeReader } from './grammar.ts'
import type { Language } from './language.ts'
import { csharpRules } from './rules-csharp.ts'
import { goRules } from './rules-go.ts'
import { javaRules } from './rules-java.ts'
import { phpRules } from './rules-php.ts'
import { rubyRules } from './rules-ruby.ts'
import { rustRules } from './rules-rust.ts'
import type { Captured, TreeRule } from './tree-rule.ts'

export type TreeLanguage = Exclude<Language, 'javascript' | 'typescript' | 'python'>

const rulesFor: Readonly<Record<TreeLanguage, Readonly<Record<string, TreeRule>>>> = {
  go: goRules,
  java: javaRules,
  ruby: rubyRules,
  php: phpRules,
  rust: rustRules,
  csharp: csharpRules,
}

/** `isWhole` is false for a piece of a file: what is broken at its edges is no error then. */
export async function treeLinter(language: TreeLanguage, isWhole = true): Promise<Linter> {
  const { read, queryOf } = await treeReader(language)
  const rules = Object.entries(rulesFor[language])
  return {
    lint: text =>
      read(text, root => {
        if (isWhole && root.hasError) return [brokenAt(root)]
        return rules.flatMap(([id, rule]) => foundBy(id, rule, queryOf(rule.query), root))
      }),
    parses: text => read(text, root => !root.hasError),
  }
}

function foundBy(id: string, known: TreeRule, query: Query, root: Node): Found[] {
  const { message, rule, holds, replace } = known
  const [severity, category, why, fix] = rule
  const seen = new Set<number>()
  return query.matches(root, { matchLimit: MOST_MATCHES }).flatMap(({ captures }) => {
    const captured = Object.fromEntries(captures.map(({ name, node }) => [name, node])) as Captured
    const { at } = captured
    if (!at || seen.has(at.startIndex) || (holds && !holds(captured))) return []
    seen.add(at.startIndex)
    const change = replace?.(captured)
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
      edits: change ? [{ start: change.node.startIndex, end: change.node.endIndex, text: change.text }] : [],
    }
  })
}

/** Of matches that are open at once: what keeps a query over a hostile tree short. */
const MOST_MATCHES = 256

function brokenAt(root: Node): Found {
  let node = root
  for (;;) {
    const worse = node.children.find(child => child?.hasError || child?.isMissing)
    if (!worse || node.isError) break
    node = worse
  }
  const what = node.isMissing ? `${node.type} is missing here.` : 'This can not be read.'
  return syntaxError(node.startPosition.row + 1, node.startPosition.column + 1, what)
}
