/** A collection that is changed in the loop over it: the next step of the loop throws, in Java and in C#. */
import type { Node } from './grammar.ts'
import { type Captured, LONG_FUNCTION } from './tree-rule.ts'

/** What the grammars of both languages call things. */
export interface LoopGrammar {
  readonly loop: string
  /** The fields of the loop with what it goes over, and with its variable. */
  readonly over: string
  readonly variable: string
  /** What is left by `break`, beside the loop itself. */
  readonly breakable: readonly string[]
  /** What runs later, or elsewhere, than the loop around it. */
  readonly apart: readonly string[]
  /** What is added to a collection to go over its parts: `.keySet()`. */
  readonly view: RegExp
  /** Whether a collection of these types, as the text declares it, throws when this method changes it. Empty where it declares none. */
  throws(types: ReadonlySet<string>, method: string, isOfVariable: boolean): boolean
}

const DEEPEST = 50
/** Statements behind the change that are looked at. */
const NEXT = 10

/** Whether the statement `at`, which calls `method` of `object`, is followed by another step of a loop over the object. */
export function changesItsLoop({ at, object, method, arguments: list }: Captured, grammar: LoopGrammar): boolean {
  const name = nameOf(object, grammar)
  const loop = name === undefined ? undefined : loopOver(name, at, grammar)
  if (name === undefined || !loop || !goesOn(at, loop, grammar)) return false
  const body = loop.childForFieldName('body')?.text ?? ''
  const last = name.slice(name.lastIndexOf('.') + 1)
  // Another collection by the same name may be changed.
  if (body.length > LONG_FUNCTION || new RegExp(`\\b${last}\\s*=[^=]`).test(body)) return false
  const variable = loop.childForFieldName(grammar.variable)?.text
  const isOfVariable = list?.text.replaceAll(/[()\s]/g, '') === variable
  return grammar.throws(typesIn(at).get(last) ?? new Set(), method?.text ?? '', isOfVariable)
}

function nameOf(object: Node | null | undefined, { view }: LoopGrammar): string | undefined {
  const name = (object?.text ?? '')
    .slice(0, 200)
    .replace(/^this\./, '')
    .replace(view, '')
  return /^\w+(?:\.\w+)*$/.test(name) ? name : undefined
}

function loopOver(name: string, from: Node, grammar: LoopGrammar): Node | undefined {
  let inner = from
  for (let depth = 0; depth < DEEPEST; depth++) {
    const outer = inner.parent
    if (!outer || grammar.apart.includes(outer.type)) return undefined
    const isLoop = outer.type === grammar.loop && outer.childForFieldName('body')?.equals(inner)
    if (isLoop && nameOf(outer.childForFieldName(grammar.over), grammar) === name) return outer
    inner = outer
  }
  return undefined
}

/** Whether the loop may take another step after the statement: no return, throw or break of the loop follows. */
function goesOn(from: Node, loop: Node, { breakable }: LoopGrammar): boolean {
  for (let at: Node | null = from; at && !at.equals(loop); at = at.parent) {
    let next = at.nextNamedSibling
    for (let count = 0; next && count < NEXT; count++, next = next.nextNamedSibling) {
      if (/^(?:return|throw)_statement$/.test(next.type)) return false
      if (next.type === 'continue_statement') return next.namedChildCount === 0
      if (next.type !== 'break_statement') continue
      let left = next.parent
      while (left && !left.equals(loop) && !breakable.includes(left.type)) left = left.parent
      if (next.namedChildCount > 0 || left?.equals(loop)) return false
      break
    }
  }
  return true
}

/** The types that a text declares its names with, or makes values of for them. */
function typesIn({ tree }: Node): ReadonlyMap<string, ReadonlySet<string>> {
  const known = types.get(tree)
  if (known) return known
  const found = new Map<string, Set<string>>()
  const add = (name: string, type: string) => found.set(name, (found.get(name) ?? new Set()).add(type))
  const { text } = tree.rootNode
  for (const [, type = '', name = ''] of text.matchAll(declared)) add(name, type)
  for (const [, name = '', type = ''] of text.matchAll(made)) add(name, type)
  for (const [, name = ''] of text.matchAll(listed)) add(name, 'List')
  types.set(tree, found)
  return found
}

const types = new WeakMap<Node['tree'], ReadonlyMap<string, ReadonlySet<string>>>()
/** Of types up to three deep: `Map<String, List<Map<K, V>>> byName`. */
const inner = '[^<>;{}()=]'
const generic = `<(?:${inner}|<(?:${inner}|<${inner}{0,99}>){0,99}>){0,99}>`
const declared = new RegExp(
  `\\b([A-Z]\\w{0,99})(?:${generic})?(?:\\[\\])?\\??[ \\t]{1,9}(\\w{1,99})\\s{0,9}(?=[=;,):]|in\\b)`,
  'g',
)
const made = /\b(\w{1,99})\s{0,9}=\s{0,9}new\s{1,9}(?:\w{1,99}\.){0,9}([A-Z]\w{0,99})/g
/** `var open = orders.Where(…).ToList();` */
const listed = /\b(\w{1,99})[ \t]{0,9}=(?![=>])[^;\n]{1,200}\.ToList\(\);/g
