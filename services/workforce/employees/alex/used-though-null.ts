/** A member of a local variable that is null at that place, as a check near it says: the program stops there. */
import type { Node } from './grammar.ts'
import { type Captured, LONG_FUNCTION } from './tree-rule.ts'

/** What the grammar of a language calls things. */
export interface NullGrammar {
  /** As a pattern: `null` or `nil`. */
  readonly nothing: string
  readonly functions: readonly string[]
  /** What runs later than the code around it. */
  readonly apart: readonly string[]
  readonly blocks: readonly string[]
}

/** How far from the member a check may stand. */
const DEEPEST = 30
const STATEMENTS_BEFORE = 10
/** In characters; a longer condition or statement is not looked through. */
const LONGEST = 2000

/** Whether the variable `name`, of which `at` takes a member, is null there. */
export function isNullHere({ at, name }: Captured, grammar: NullGrammar): boolean {
  const variable = name?.text ?? ''
  if (!/^\w{1,100}$/.test(variable) || !checkedNames(at, grammar).has(variable)) return false
  const said = patternsOf(variable, grammar.nothing)
  for (let [inner, depth] = [at, 0]; depth < DEEPEST; depth++) {
    const outer = inner.parent
    if (!outer || grammar.apart.includes(outer.type) || grammar.functions.includes(outer.type)) return false
    if (outer.type === 'binary_expression' && textOf(outer) === undefined) return false
    // The program may want the exception.
    if (outer.type === 'try_statement' && catchesNull.test(textOf(outer) ?? 'catch (Exception')) return false
    const verdict = grammar.blocks.includes(outer.type)
      ? byStatements(inner, said)
      : byCondition(inner, outer, at, said)
    if (verdict !== undefined) return verdict && isLocal(variable, at, grammar)
    inner = outer
  }
  return false
}

const catchesNull = /catch\s*\([^)]{0,200}(?:NullPointer|NullReference|\b(?:Runtime)?Exception\b)/

interface Patterns {
  readonly isNull: RegExp
  readonly isThere: RegExp
  readonly isSet: RegExp
  readonly isMadeNull: RegExp
  readonly isNamed: RegExp
}

function patternsOf(name: string, nothing: string): Patterns {
  const compared = (sign: string, word: string) =>
    new RegExp(
      `^[\\s(]*(?:${name}\\s*(?:${sign}|\\bis\\s+${word})\\s*${nothing}|${nothing}\\s*${sign}\\s*${name})[\\s)]*$`,
    )
  return {
    isNull: compared('==', ''),
    isThere: compared('!=', 'not'),
    isSet: new RegExp(`\\b${name}\\s*(?:,[\\w\\s,.]{0,200})?:?=(?!=)|&${name}\\b|\\b(?:out|ref)\\s+${name}\\b`),
    isMadeNull: new RegExp(`^(?:(?:final\\s+)?[A-Za-z][\\w.<>,\\s?[\\]]{0,200}\\s)?${name}\\s*=\\s*${nothing}\\s*;?$`),
    isNamed: new RegExp(`\\b${name}\\b`),
  }
}

/** What the condition around a part says; undefined where it says nothing of the variable. */
function byCondition(inner: Node, outer: Node, at: Node, said: Patterns): boolean | undefined {
  const isBranch = /^(?:if_statement|ternary_expression|conditional_expression|while_statement|for_statement)$/.test(
    outer.type,
  )
  const isJoined =
    outer.type === 'binary_expression' && /^(?:&&|\|\|)$/.test(outer.childForFieldName('operator')?.text ?? '')
  if (!isBranch && !isJoined) return undefined
  const condition = outer.childForFieldName(isJoined ? 'left' : 'condition')
  if (!condition || condition.equals(inner)) return undefined
  const text = textOf(condition)
  if (text === undefined) return false
  if (!said.isNamed.test(text)) return undefined
  const isElse = isJoined
    ? outer.childForFieldName('operator')?.text === '||'
    : (outer.childForFieldName('alternative')?.equals(inner) ?? false)
  const [sign, other, wanted] = isElse ? ['||', '&&', said.isThere] : ['&&', '||', said.isNull]
  if (text.includes(other) || !text.split(sign).some(part => wanted.test(part))) return false
  const before = outer.tree.rootNode.text.slice(inner.startIndex, Math.min(at.startIndex, inner.startIndex + LONGEST))
  return at.startIndex - inner.startIndex < LONGEST && !said.isNamed.test(before)
}

/** What the statements before one say; undefined where they say nothing of the variable. */
function byStatements(statement: Node, said: Patterns): boolean | undefined {
  const own = textOf(statement)
  if (own === undefined || said.isSet.test(own)) return false
  let before = statement.previousNamedSibling
  for (let count = 0; before && count < STATEMENTS_BEFORE; count++, before = before.previousNamedSibling) {
    const text = textOf(before)
    if (text === undefined) return false
    if (!said.isNamed.test(text)) continue
    if (said.isMadeNull.test(text)) return true
    return before.type === 'if_statement' && isNoted(before, said)
  }
  return undefined
}

/** `if (x == null) log(…);`: it is written down, and the code goes on with it. */
function isNoted(check: Node, { isNull, isSet }: Patterns): boolean {
  const body = textOf(check.childForFieldName('consequence')) ?? ''
  if (check.childForFieldName('alternative') || !isNull.test(textOf(check.childForFieldName('condition')) ?? ''))
    return false
  return (
    !isSet.test(body) &&
    /^[\s{]*(?:(?:System\.(?:out|err)|Console|fmt|log|logger|LOG|LOGGER)\.\w{1,20}\((?:[^;"]|"[^"\n]*"){0,500}\)[;\s]*){1,5}\}?\s*$/.test(
      body,
    ) &&
    !/fatal|panic|exit/i.test(body)
  )
}

const textOf = (node: Node | null): string | undefined =>
  node && node.endIndex - node.startIndex <= LONGEST ? node.text : undefined

interface Known {
  readonly checked: ReadonlySet<string>
  readonly locals: Map<string, boolean>
  /** In the order in which they begin. Asking each node for its parents takes as long as the tree is deep. */
  readonly functions: readonly { readonly start: number; readonly end: number }[]
}
const known = new WeakMap<Node['tree'], Known>()

function knownOf({ tree }: Node, { nothing, functions: types }: NullGrammar): Known {
  const before = known.get(tree)
  if (before) return before
  const { text } = tree.rootNode
  const named = new RegExp(
    `\\b(\\w{1,100})\\s{0,9}(?:[=!]=|=|\\bis(?:\\s{1,9}not)?)\\s{0,9}${nothing}\\b|\\b${nothing}\\s{0,9}[=!]=\\s{0,9}(\\w{1,100})`,
    'g',
  )
  const checked = new Set([...text.matchAll(named)].map(([, left, right]) => left ?? right ?? ''))
  const functions = tree.rootNode
    .descendantsOfType([...types])
    .flatMap(node => (node ? { start: node.startIndex, end: node.endIndex } : []))
  const found = { checked, locals: new Map<string, boolean>(), functions }
  known.set(tree, found)
  return found
}

const checkedNames = (at: Node, grammar: NullGrammar): ReadonlySet<string> => knownOf(at, grammar).checked

/** Fields are set by other functions: only what the function itself declares is known. */
function isLocal(name: string, at: Node, grammar: NullGrammar): boolean {
  const { locals, functions } = knownOf(at, grammar)
  const home = functions.findLast(({ start, end }) => start <= at.startIndex && at.endIndex <= end)
  if (!home || home.end - home.start > LONG_FUNCTION) return false
  const key = `${home.start} ${name}`
  const before = locals.get(key)
  if (before !== undefined) return before
  const found = new RegExp(
    `[\\w>\\])?]\\s+${name}\\s*[,)=;]|\\b${name},? [*\\w[\\].]+[,)]|\\b${name}\\b[\\w, ]*:=|\\bvar ${name}\\b`,
  ).test(at.tree.rootNode.text.slice(home.start, home.end))
  locals.set(key, found)
  return found
}
