/** Variables of PHP that a function reads before it sets them, or sets and never reads. */
import type { Rule } from './finding.ts'
import type { Node } from './grammar.ts'
import { LONG_FUNCTION } from './tree-rule.ts'

/** A variable at a place, and what is wrong with it. */
export interface NameFault {
  readonly id: 'read-before-set' | 'never-read'
  readonly at: Node
}

export const phpNameRules: Readonly<Record<NameFault['id'], { readonly message: string; readonly rule: Rule }>> = {
  'read-before-set': {
    message: 'The variable is read in its own first assignment.',
    rule: [
      'error',
      'bug',
      'It has no value there yet: PHP warns and goes on with null.',
      'Read the variable that is meant.',
    ],
  },
  'never-read': {
    message: 'The variable is set and never read.',
    rule: [
      'warning',
      'bug',
      'What it holds is lost; often another variable is used in its place.',
      'Use it, or leave it out.',
    ],
  },
}

/** Where all places of a variable are seen: not with names made from text, references, closures and the like. */
export function nameFaultsIn(body: Node, parameters: Node | null): NameFault[] {
  if (body.hasError || body.endIndex - body.startIndex > LONG_FUNCTION || isOpaque.test(body.text)) return []
  const known = new Set(['$this', ...(parameters?.text.match(/\$\w+/g) ?? [])])
  const { set, read, unclear } = usesIn(body)
  const isOwn = (name: string) => !known.has(name) && !unclear.has(name) && !meantUnused.test(name)
  return [...set].flatMap(([name, { at, statement }]): NameFault[] => {
    if (!isOwn(name)) return []
    const first = read.get(name)
    if (first === undefined) return [{ id: 'never-read', at }]
    const isInside = first.startIndex > at.endIndex && first.endIndex <= statement.endIndex
    return isInside ? [{ id: 'read-before-set', at: first }] : []
  })
}

const meantUnused = /^\$(?:_|unused|ignored?|dummy)/i

const isOpaque =
  /\b(?:compact|extract|eval|include|include_once|require|require_once|get_defined_vars|func_get_args|parse_str|global|list|static\s+\$)|\$\$|\$\{|=\s*&|&\s*\$|\buse\s*\(|\bfn\s*\(|\bfunction\b|\bgoto\b/

interface Uses {
  /** The first place of each name that is set by a statement of its own. */
  readonly set: ReadonlyMap<string, { readonly at: Node; readonly statement: Node }>
  readonly read: ReadonlyMap<string, Node>
  /** Set or read in other ways. */
  readonly unclear: ReadonlySet<string>
}

/** In the order of the text; parents are handed down, since to ask a node for its own takes as long as the tree is deep. */
function usesIn(body: Node): Uses {
  const set = new Map<string, { at: Node; statement: Node }>()
  const read = new Map<string, Node>()
  const unclear = new Set<string>()
  const open: (readonly [Node, Node | undefined, Node | undefined])[] = [[body, undefined, undefined]]
  for (let next = open.pop(); next; next = open.pop()) {
    const [node, parent, around] = next
    if (node.type !== 'variable_name') {
      for (const child of node.namedChildren.toReversed()) if (child) open.push([child, node, parent])
      continue
    }
    // `A::$b` is of a class.
    if (parent?.type === 'scoped_property_access_expression' && parent.startIndex !== node.startIndex) continue
    const name = node.text
    if (parent?.type === 'assignment_expression' && parent.startIndex === node.startIndex) {
      if (around?.type !== 'expression_statement') unclear.add(name)
      else if (!set.has(name)) set.set(name, { at: node, statement: parent })
    } else if (parent && (isUnclear.test(parent.type) || isFallback(parent) || (around && isFallback(around))))
      unclear.add(name)
    else if (parent?.type === 'subscript_expression' && around?.type === 'assignment_expression') unclear.add(name)
    else if (!read.has(name)) read.set(name, node)
    // A function may take its argument by reference.
    if (parent?.type === 'argument' && node.endIndex <= (set.get(name)?.statement.endIndex ?? node.endIndex))
      unclear.add(name)
  }
  return { set, read, unclear }
}

/** Of `$a ?? $b`, and of `$a['c'] ?? $b`, the first may be unset. */
const isFallback = ({ type, children }: Node): boolean =>
  type === 'binary_expression' && children.some(child => child?.type === '??')

const isUnclear =
  /foreach|list_literal|catch|pair|by_ref|reference|augmented|update_expression|isset|unset|empty|dynamic/
