/** The variables of functions and where they are known. One walk over the tree: asking nodes for their parents takes as long as the tree is deep. */
import type { Node } from './grammar.ts'
import { LONG_FUNCTION } from './tree-rule.ts'

/** What the grammar of a language calls things. */
export interface LocalsGrammar {
  readonly functions: readonly string[]
  /** What runs later than the code around it, or elsewhere: lambdas and bodies of classes. */
  readonly apart: readonly string[]
  /** What else ends the scope of a variable. */
  readonly blocks: readonly string[]
  /** What declares variables, and the field with their names; without a field all words are names. */
  readonly declares: Readonly<Record<string, string>>
  /** Nodes whose scope is asked for. */
  readonly places: readonly string[]
}

export interface Scope {
  readonly start: number
  readonly end: number
  readonly kind: 'function' | 'apart' | 'block'
  readonly outer: Scope | undefined
  /** The nearest one around it, or itself. */
  inFunction: Scope | undefined
  /** Offsets of each name where it is declared, in the order of the text. */
  readonly names: Map<string, number[]>
  readonly apart: { readonly start: number; readonly end: number }[]
}

export interface Scopes {
  /** By the offsets of the tree. */
  readonly text: string
  readonly places: readonly { readonly node: Node; readonly scope: Scope }[]
  /** By the offset where a place begins. */
  readonly at: ReadonlyMap<number, Scope>
}

/** None in a text that is not parsed as a whole: where a brace is missing, the parser ends a block elsewhere. */
export function scopesOf(tree: Node['tree'], grammar: LocalsGrammar): Scopes {
  const before = known.get(tree)
  if (before) return before
  const root = tree.rootNode
  const found = root.hasError ? { text: '', places: [], at: new Map() } : walk(root, grammar)
  known.set(tree, found)
  return found
}

const known = new WeakMap<Node['tree'], Scopes>()

/** Where the name is declared, if it is a variable of the function around the scope; of variables outside of a lambda nothing is said within it. */
export function declaredAt(name: string, offset: number, from: Scope): number | undefined {
  let scope: Scope | undefined = from
  for (let depth = 0; scope && depth < DEEPEST && scope.kind !== 'apart'; depth++, scope = scope.outer) {
    const found = lastBefore(offset, scope.names.get(name))
    if (found !== undefined || scope.kind === 'function') return found
  }
  return undefined
}

const DEEPEST = 50

/** The last of the sorted offsets that is less than `end`. */
export function lastBefore(end: number, offsets: readonly number[] = []): number | undefined {
  let [low, high] = [0, offsets.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((offsets[middle] ?? end) < end) low = middle + 1
    else high = middle
  }
  return offsets[low - 1]
}

/** Whether the function around the scope may expect an exception or jump, or is too long to be searched. */
export function mayExpectFaults({ inFunction }: Scope, text: string): boolean {
  if (!inFunction || inFunction.end - inFunction.start > LONG_FUNCTION) return true
  const before = expecting.get(inFunction)
  if (before !== undefined) return before
  const isExpecting = expects.test(text.slice(Math.max(0, inFunction.start - ATTRIBUTES), inFunction.end))
  expecting.set(inFunction, isExpecting)
  return isExpecting
}

const expecting = new WeakMap<Scope, boolean>()

/** In characters: `#[should_panic]` stands before its function. */
const ATTRIBUTES = 200

const expects =
  /NullPointer|NullReference|\bNPE\b|OutOf(?:Bounds|Range)|ExpectedException|\bexpected\s*=\s*[\w.]+\.class|\.expect\(\s*[\w.]+\.class|recover|panic|\bgoto\b|\bcatch\s*(?:\(\s*(?:final\s+)?(?:[\w.]+\s*\|\s*){0,9}(?:\w+\.){0,9}(?:Runtime|System)?(?:Exception|Throwable)\b|\{|when\b)/i

/** Whether a lambda or a class within the function names the variable: it may set it. */
export function isNamedApart(name: string, { inFunction }: Scope, text: string): boolean {
  if (!inFunction) return false
  const before = namedApart.get(inFunction)
  const words =
    before ?? new Set(inFunction.apart.flatMap(({ start, end }) => text.slice(start, end).match(/\w+/g) ?? []))
  if (!before) namedApart.set(inFunction, words)
  return words.has(name)
}

const namedApart = new WeakMap<Scope, ReadonlySet<string>>()

function walk(root: Node, { functions, apart, blocks, declares, places: wanted }: LocalsGrammar): Scopes {
  const places: { node: Node; scope: Scope }[] = []
  const kinds = new Map<string, Scope['kind']>([
    ...blocks.map(type => [type, 'block'] as const),
    ...functions.map(type => [type, 'function'] as const),
    ...apart.map(type => [type, 'apart'] as const),
  ])
  let scope: Scope | undefined
  for (const node of root.descendantsOfType([...new Set([...kinds.keys(), ...Object.keys(declares), ...wanted])])) {
    if (!node) continue
    while (scope && scope.end <= node.startIndex) scope = scope.outer
    const kind = kinds.get(node.type)
    if (kind) scope = scopeIn(scope, node, kind)
    const field = declares[node.type]
    if (field !== undefined && scope && scope.kind !== 'apart') declare(node, field, scope.names)
    if (scope && wanted.includes(node.type)) places.push({ node, scope })
  }
  // The offsets of a root begin behind the blanks before it.
  const text = ' '.repeat(root.startIndex) + root.text
  return { text, places, at: new Map(places.map(place => [place.node.startIndex, place.scope])) }
}

function scopeIn(outer: Scope | undefined, { startIndex: start, endIndex: end }: Node, kind: Scope['kind']): Scope {
  const around = outer?.inFunction?.apart
  // What lies within another one is named there.
  if (kind === 'apart' && around && start >= (around.at(-1)?.end ?? 0)) around.push({ start, end })
  const scope: Scope = { start, end, kind, outer, inFunction: outer?.inFunction, names: new Map(), apart: [] }
  if (kind === 'function') scope.inFunction = scope
  return scope
}

function declare(node: Node, field: string, names: Map<string, number[]>): void {
  for (const named of field === '' ? [node] : node.childrenForFieldName(field))
    for (const { 0: name, index } of named?.text.slice(0, LONGEST).matchAll(/\w+/g) ?? []) {
      const offset = (named?.startIndex ?? 0) + index
      const known = names.get(name)
      if (known) known.push(offset)
      else names.set(name, [offset])
    }
}

/** In characters. */
const LONGEST = 300
