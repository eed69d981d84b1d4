/** A member of a local variable that is null at that place, as a check or an assignment near it says: the program stops there. */
import type { Node } from './grammar.ts'
import {
  declaredAt,
  isNamedApart,
  type LocalsGrammar,
  lastBefore,
  mayExpectFaults,
  type Scope,
  scopesOf,
} from './locals.ts'
import type { Captured } from './tree-rule.ts'

export interface NullGrammar extends LocalsGrammar {
  readonly nothing: 'null' | 'nil'
  /** Nodes whose children are the statements of a block. */
  readonly lists: readonly string[]
}

/** In characters; a longer condition, statement or branch is not looked through. */
const LONGEST_CONDITION = 300
const LONGEST = 2000
const STATEMENTS_AFTER = 10

/** Whether the variable `name`, of which `at` takes a member, is null there. */
export const isNullHere = ({ name }: Captured, grammar: NullGrammar): boolean =>
  name !== undefined && usesOf(name.tree, grammar).has(name.startIndex)

/** Where names stand whose variables are null. Each is looked for from its check onwards, so it takes no longer where code is nested. */
function usesOf(tree: Node['tree'], grammar: NullGrammar): ReadonlySet<number> {
  const before = known.get(tree)
  if (before) return before
  const found = new Set<number>()
  known.set(tree, found)
  const scopes = scopesOf(tree, grammar)
  const patterns = patternsOf(grammar.nothing)
  const changes = changesIn(scopes.text)
  for (const { node, scope } of scopes.places) {
    const claims = grammar.lists.includes(node.type) ? byStatements(node, patterns) : byCondition(node, patterns)
    for (const claim of claims) {
      const use = useIn(claim, scope, scopes.text, changes)
      if (use !== undefined) found.add(use)
    }
  }
  return found
}

const known = new WeakMap<Node['tree'], Set<number>>()

/** A part of the text in which a variable is null when it begins. */
interface Claim {
  readonly name: string
  readonly start: number
  readonly end: number
  /** Whether the variable was only perhaps null: then nothing may stand between that could leave. */
  readonly isPerhaps?: boolean
}

interface Patterns {
  readonly isNull: RegExp
  readonly isThere: RegExp
  readonly isMadeNull: RegExp
}

function patternsOf(nothing: string): Patterns {
  const compared = (sign: string, word: string) =>
    new RegExp(`^(?:(\\w{1,100})\\s*(?:${sign}|\\bis\\s+${word})\\s*${nothing}|${nothing}\\s*${sign}\\s*(\\w{1,100}))$`)
  return {
    isNull: compared('==', ''),
    isThere: compared('!=', 'not\\s'),
    isMadeNull: new RegExp(
      `^(?:(?:final\\s+)?[A-Za-z][\\w.<>,?[\\]* ]{0,100}\\s)?(\\w{1,100})(?:\\s+[*\\w.]{1,100})?\\s*=\\s*${nothing}\\s*;?$`,
    ),
  }
}

/** What the condition of a branch says of it, and what one side of `&&` or `||` says of the other. */
function byCondition(node: Node, { isNull, isThere }: Patterns): Claim[] {
  const claims = (names: readonly string[], part: Node | null) =>
    part ? names.map(name => ({ name, start: part.startIndex, end: part.endIndex })) : []
  if (node.type === 'binary_expression') {
    const sign = node.childForFieldName('operator')?.type
    if (sign !== '&&' && sign !== '||') return []
    const said = namesIn(node.childForFieldName('left'), sign, sign === '&&' ? isNull : isThere)
    return said.length > 0 ? claims(said, node.childForFieldName('right')) : []
  }
  const condition = node.childForFieldName('condition')
  return [
    ...claims(namesIn(condition, '&&', isNull), node.childForFieldName('consequence')),
    ...claims(namesIn(condition, '||', isThere), node.childForFieldName('alternative')),
  ]
}

/** The variables of which a part of the condition says it, where no other part names them. Negated and nested parts say nothing. */
function namesIn(condition: Node | null, sign: '&&' | '||', wanted: RegExp): string[] {
  if (!condition || condition.endIndex - condition.startIndex > LONGEST_CONDITION) return []
  const { text } = condition
  if (!/nil|null/.test(text)) return []
  const found: string[] = []
  const open = [condition]
  for (let part = open.pop(); part; part = open.pop()) {
    const [, left, right] = wanted.exec(part.text) ?? []
    const name = left ?? right
    if (name !== undefined && text.match(new RegExp(`\\b${name}\\b`, 'g'))?.length === 1) found.push(name)
    const isJoined = part.type === 'binary_expression' && part.childForFieldName('operator')?.type === sign
    if (isJoined || part.type === 'parenthesized_expression')
      open.push(...part.namedChildren.flatMap(child => child ?? []))
  }
  return found
}

/** What a statement says of those after it. */
function byStatements(block: Node, patterns: Patterns): Claim[] {
  const statements = block.namedChildren.flatMap(node => (node && node.type !== 'comment' ? node : []))
  return statements.flatMap((statement, index) => {
    const { startIndex, endIndex } = statement
    if (endIndex - startIndex > LONGEST_CONDITION) return []
    const { text } = statement
    const made = patterns.isMadeNull.exec(text)?.[1]
    const name = made ?? notedIn(statement, patterns)
    if (name === undefined) return []
    const isNamed = new RegExp(`\\b${name}\\b`)
    const next = statements
      .slice(index + 1, index + 1 + (made === undefined ? 1 : STATEMENTS_AFTER))
      .find(node => node.endIndex - node.startIndex > LONGEST || isNamed.test(node.text))
    return next ? { name, start: next.startIndex, end: next.endIndex, isPerhaps: made === undefined } : []
  })
}

/** `if (x == null) log(…);`: it is written down, and the code goes on with it. */
function notedIn(statement: Node, { isNull }: Patterns): string | undefined {
  if (statement.type !== 'if_statement' || statement.childForFieldName('alternative')) return undefined
  if (statement.childForFieldName('initializer') || !isLog.test(statement.childForFieldName('consequence')?.text ?? ''))
    return undefined
  const condition = statement.childForFieldName('condition')?.text.replace(/^\(([^()]*)\)$/, '$1') ?? ''
  const [, left, right] = isNull.exec(condition.trim()) ?? []
  return left ?? right
}

/** Calls within its arguments may throw, and so may methods by other names. */
const isLog =
  /^[\s{]*(?:(?:System\.(?:out|err)|Console(?:\.Error)?|fmt|log|logger|_logger|LOG|LOGGER|slog)\.(?:trace|debug|info|warn|warning|error|severe|fine|print|println|printf|Write|WriteLine|Print|Println|Printf|Debug|Info|Warn|Warning|Error|LogDebug|LogInformation|LogWarning|LogError)\((?:[^;"()]|"[^"\n]*"){0,200}\)[;\s]*){1,5}\}?$/

/** Where the variable is first named, if it is local and nothing sets it. */
function useIn(
  { name, start, end, isPerhaps }: Claim,
  scope: Scope,
  text: string,
  changes: Changes,
): number | undefined {
  if (end - start > LONGEST || isWithin(start, end, changes.sets.get(name))) return undefined
  const part = text.slice(start, end)
  const first = new RegExp(`\\b${name}\\b`).exec(part)?.index
  if (first === undefined || isUnread.test(part.slice(0, first))) return undefined
  if (isPerhaps && !isReached.test(part.slice(0, first).replace(':=', '='))) return undefined
  const { inFunction } = scope
  if (!inFunction || declaredAt(name, start, scope) === undefined || mayExpectFaults(scope, text)) return undefined
  if (isWithin(inFunction.start, inFunction.end, changes.shares.get(name))) return undefined
  return isNamedApart(name, scope, text) ? undefined : start + first
}

/** Offsets by name, in the order of the text. */
type Offsets = Map<string, number[]>

interface Changes {
  /** Where a variable gets a value. */
  readonly sets: Offsets
  /** Where a variable is given by reference, so that others may set it. */
  readonly shares: Offsets
}

/** Found once in a text: parts of it that lie within one another are asked for the same names. */
function changesIn(text: string): Changes {
  const sets: Offsets = new Map()
  const shares: Offsets = new Map()
  for (const { index } of text.matchAll(/=(?![=>])/g)) {
    for (const [, name = ''] of targetsBefore(index, text).matchAll(/\b(\w+)\b\s*(?:,|\)?\s*$)/g))
      add(name, index, sets)
  }
  for (const { 1: address, 2: reference, index } of text.matchAll(/&\s*(\w+)\b(?!\s*\.)|\b(?:out|ref)\s+(\w+)/g))
    add(address ?? reference ?? '', index, shares)
  return { sets, shares }
}

/** The list of what an assignment sets, whose sign ends with the `=` at `sign`. */
function targetsBefore(sign: number, text: string): string {
  const end = sign - (/(?:[:+*/|&-]|<<|>>|\?\?)$/.exec(text.slice(Math.max(0, sign - 2), sign))?.[0].length ?? 0)
  let start = end
  while (start > 0 && end - start < LONGEST_TARGETS && /[\w\s,.*[\]()]/.test(text.charAt(start - 1))) start--
  return text.slice(start, end)
}

/** In characters. */
const LONGEST_TARGETS = 200

function add(name: string, offset: number, to: Offsets): void {
  const known = to.get(name)
  if (known) known.push(offset)
  else to.set(name, [offset])
}

const isWithin = (start: number, end: number, offsets?: readonly number[]): boolean =>
  (lastBefore(end, offsets) ?? -1) >= start

/** What takes the name and not the value. */
const isUnread = /(?:\b(?:nameof|sizeof|typeof|len|cap|unsafe\.\w+)\s*\(\s*&?|::|\brange)\s*$/

/** Before what a statement does in any case. */
const isReached = /^(?!\s*(?:assert|case|do|try)\b)(?:[^)?&|{}:;=>-]|=(?!>)|-(?!>))*$/
