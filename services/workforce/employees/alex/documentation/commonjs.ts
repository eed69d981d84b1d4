/** What assignments add to a module: `exports.a = …`, `module.exports = …`, `x.y = …` and `x.prototype.y = …`. */
import type * as TypeScript from 'typescript'
import { type Assignment, assignmentsIn } from './assignments.ts'
import { type Entry, merged, short } from './reference.ts'
import { membersOf as classMembersOf } from './typescript-members.ts'
import { isPrivateByComment, type Teller, typescript } from './typescript-teller.ts'

export interface AssignedNames {
  /** What is assigned to a name that the module declares, and to its prototype. */
  readonly membersOf: (name: string) => Entry[]
  /** What CommonJS exports; `declared` gives what the module declares under a name. */
  readonly exported: (declared: (name: string) => Entry[]) => Entry[]
}

export function readAssigned(statements: readonly TypeScript.Statement[], teller: Teller): AssignedNames {
  const { assignments, inner } = assignmentsIn(statements, teller)
  const ofOwner = Map.groupBy(assignments, ({ owner }) => owner)
  const aliases = aliasesOf(assignments)
  const memberEntries = (each: Assignment): Entry[] => {
    if (!isPrivateByComment(each.node)) return [memberEntry(each, 'property', teller)]
    teller.leave('private members', each.name)
    return []
  }
  const membersOf = (name: string): Entry[] => [
    ...(ofOwner.get(name) ?? []).flatMap(each =>
      each.name === 'prototype' ? objectMembers(each, teller) : memberEntries(each),
    ),
    ...(ofOwner.get(`${name}.prototype`) ?? []).flatMap(memberEntries),
  ]
  const exported: AssignedNames['exported'] = outer => {
    const withMembers = (entry: Entry) => ({ ...entry, members: merged([...entry.members, ...membersOf(entry.name)]) })
    const known = new Map<string, Entry[]>()
    const declared = (name: string): Entry[] => {
      const entries = known.get(name) ?? [...outer(name), ...(inner.get(name) ?? []).map(withMembers)]
      known.set(name, entries)
      return entries
    }
    // What is assigned to a function or a class is a member of it.
    const isMember = ({ owner }: Assignment) => declared(owner).some(({ kind }) => kind !== 'constant')
    const isReturned = assignments.filter(({ isExports }) => isExports).length > 1
    const exports = assignments.flatMap(each => {
      // `module.exports = factory()`, where what the factory gives back is known.
      if (each.isExports && isReturned && isCallOfName(each.value)) return []
      if (each.isExports) return wholeExport(each, declared, ofOwner, aliases, teller)
      if (!aliases.has(each.owner) || each.name === 'prototype' || isMember(each)) return []
      return [exportEntry(each, declared, teller)]
    })
    const told = new Set(exports.map(({ line }) => line))
    for (const entry of [...inner.values()].flat())
      if (!told.has(entry.line)) teller.leave('declarations inside a function that is called at once', entry.name)
    return exports
  }
  return { membersOf, exported }
}

function isCallOfName(value: TypeScript.Expression): boolean {
  const ts = typescript()
  return ts.isCallExpression(value) && ts.isIdentifier(value.expression) && value.expression.text !== 'require'
}

/** Names of what the module exports: `exports`, and variables that hold the same object. */
function aliasesOf(assignments: readonly Assignment[]): Set<string> {
  const ts = typescript()
  const aliases = new Set(['exports', 'module.exports'])
  for (const { isExports, others, value } of assignments) {
    if (!isExports) continue
    for (const other of others) aliases.add(other)
    if (ts.isIdentifier(value)) aliases.add(value.text)
  }
  return aliases
}

function wholeExport(
  { value, node, left }: Assignment,
  declared: (name: string) => Entry[],
  ofOwner: ReadonlyMap<string, readonly Assignment[]>,
  aliases: ReadonlySet<string>,
  teller: Teller,
): Entry[] {
  const ts = typescript()
  const { entry, print } = teller
  const from = requiredBy(value)
  if (from !== undefined) return [entry('re-export', `* from '${from}'`, node, `module.exports = ${print(value)}`)]
  if (ts.isObjectLiteralExpression(value)) return propertiesOf(value, declared, teller)
  if (ts.isIdentifier(value)) {
    const own = declared(value.text)
    const object = ofOwner.get('')?.find(({ name }) => name === value.text)?.value
    if (object && ts.isObjectLiteralExpression(object)) return propertiesOf(object, declared, teller)
    // What is assigned to it is exported by its own name.
    if (own.length > 0) return own.map(each => (each.kind === 'constant' ? { ...each, members: [] } : each))
  }
  if (isCallable(value)) {
    const members = [...aliases].flatMap(alias =>
      (ofOwner.get(`${alias}.prototype`) ?? []).map(each => memberEntry(each, 'property', teller)),
    )
    return [{ ...valueEntry(value, 'module.exports', left, node, teller), members }]
  }
  return [entry('export', 'module.exports', node, `module.exports = ${short(print(value), 120)}`)]
}

function propertiesOf(
  object: TypeScript.ObjectLiteralExpression,
  declared: (name: string) => Entry[],
  teller: Teller,
): Entry[] {
  const ts = typescript()
  const { entry, print, leave } = teller
  return object.properties.flatMap((part): Entry[] => {
    if (ts.isSpreadAssignment(part)) {
      const from = requiredBy(part.expression)
      if (from !== undefined) return [entry('re-export', `* from '${from}'`, part, short(print(part), 120))]
      leave('spread into the exports', print(part))
      return []
    }
    if (ts.isComputedPropertyName(part.name)) {
      leave('names that are computed', print(part.name))
      return []
    }
    const name = print(part.name).replaceAll(/^['"]|['"]$/g, '')
    const value = ts.isPropertyAssignment(part)
      ? part.initializer
      : ts.isShorthandPropertyAssignment(part)
        ? part.name
        : undefined
    const own = value && ts.isIdentifier(value) ? declared(value.text) : []
    if (own.length > 0) return own.map(each => described({ ...each, name }, entry('', '', part, '').description))
    if (value && isCallable(value)) return [valueEntry(value, name, `exports.${name}`, part, teller)]
    if (ts.isMethodDeclaration(part)) {
      const parameters = part.parameters.map(print).join(', ')
      return [entry('function', name, part, `exports.${name}(${parameters})`)]
    }
    return [entry('export', name, part, `exports.${short(print(part), 120)}`)]
  })
}

function exportEntry(each: Assignment, declared: (name: string) => Entry[], teller: Teller): Entry {
  const ts = typescript()
  const [own] = ts.isIdentifier(each.value) ? declared(each.value.text) : []
  if (own) return described({ ...own, name: each.name }, teller.entry('', '', each.node, '').description)
  return memberEntry(each, 'export', teller)
}

const memberEntry = ({ name, value, node, left }: Assignment, kind: string, teller: Teller): Entry =>
  isCallable(value)
    ? valueEntry(value, name, left, node, teller)
    : teller.entry(kind, name, node, `${left} = ${short(teller.print(value), 120)}`)

/** `x.prototype = { … }`. */
function objectMembers({ value, left }: Assignment, teller: Teller): Entry[] {
  const ts = typescript()
  if (!ts.isObjectLiteralExpression(value)) return []
  return propertiesOf(value, () => [], teller).map(each => ({
    ...each,
    signature: each.signature.replace(/^exports/, left),
  }))
}

type Callable = TypeScript.FunctionExpression | TypeScript.ArrowFunction | TypeScript.ClassExpression

function isCallable(value: TypeScript.Node): value is Callable {
  const ts = typescript()
  return ts.isFunctionExpression(value) || ts.isArrowFunction(value) || ts.isClassExpression(value)
}

function valueEntry(value: Callable, name: string, left: string, node: TypeScript.Node, teller: Teller): Entry {
  const ts = typescript()
  const { entry, print } = teller
  if (ts.isClassExpression(value)) {
    const heritage = (value.heritageClauses ?? []).map(clause => ` ${print(clause)}`).join('')
    const own = value.name ? ` ${value.name.text}` : ''
    return entry('class', name, node, `${left} = class${own}${heritage}`, classMembersOf(value.members, teller))
  }
  const isAsync = value.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) ? 'async ' : ''
  const parameters = `(${value.parameters.map(print).join(', ')})`
  const result = value.type ? `: ${print(value.type)}` : ''
  if (ts.isArrowFunction(value)) return entry('function', name, node, `${left} = ${isAsync}${parameters}${result} => …`)
  const star = value.asteriskToken ? '*' : ''
  const own = value.name ? ` ${value.name.text}` : ''
  return entry('function', name, node, `${left} = ${isAsync}function${star}${own}${parameters}${result}`)
}

/** The comment of an assignment may be a heading over several; that of the function itself is of it alone. */
const described = (entry: Entry, description: string): Entry =>
  entry.description === '' ? { ...entry, description } : entry

/** `require('./x')` has `./x`. */
function requiredBy(value: TypeScript.Expression): string | undefined {
  const ts = typescript()
  if (!ts.isCallExpression(value) || !ts.isIdentifier(value.expression) || value.expression.text !== 'require')
    return undefined
  const [path] = value.arguments
  return path && ts.isStringLiteralLike(path) ? path.text : undefined
}
