/** What a module of Python shows, by tree-sitter's tree. */
import { type Node, treeReader } from '../grammar.ts'
import { indentation } from './indentation.ts'
import { createLeftOut, type Entry, type LeftOutList, type Module, short, Unreadable } from './reference.ts'

export async function readPython(file: string, text: string): Promise<Module> {
  const { read } = await treeReader('python')
  return read(text, root => {
    if (root.hasError) throw new Unreadable('It can not be read as Python.')
    const leftOut = createLeftOut()
    const all = namesInAll(root)
    const isShown = (name: string) => (all ? all.has(name) : !name.startsWith('_'))
    const defined = latest(definitionsIn(root, leftOut.add))
    const names = new Set(defined.map(({ name }) => name))
    const imported = importsIn(root).filter(({ name }) => !names.has(name))
    const isTakenOver = ({ name, signature }: Entry) =>
      all && !name.startsWith('* ')
        ? all.has(name)
        : isShown(name) && /(?:^|\/)__init__\.py$/.test(file) && signature.startsWith('from .')
    const entries = [...defined.filter(({ name }) => isShown(name)), ...imported.filter(isTakenOver)]
    for (const { name } of defined)
      if (!isShown(name)) leftOut.add(all ? 'names that __all__ does not list' : 'private names', name)
    const told = new Set(entries.map(({ name }) => name))
    for (const name of all ?? []) if (!told.has(name)) leftOut.add('names of __all__ that are defined elsewhere', name)
    return { file, language: 'python', description: docstringOf(root), entries, left_out: leftOut.all() }
  })
}

/** Statements, also those that are only reached under a condition. */
function* statementsIn(block: Node): Generator<Node> {
  for (const node of block.namedChildren) {
    if (!node) continue
    yield node
    if (
      /^(?:if_statement|try_statement|with_statement|else_clause|elif_clause|except_clause|finally_clause|block)$/.test(
        node.type,
      )
    )
      yield* statementsIn(node)
  }
}

function definitionsIn(block: Node, leave: LeftOutList['add'], isClass = false): Entry[] {
  const entries: Entry[] = []
  for (const node of statementsIn(block)) {
    const definition = node.type === 'decorated_definition' ? node.childForFieldName('definition') : node
    const decorators =
      node.type === 'decorated_definition'
        ? node.namedChildren.filter(child => child?.type === 'decorator').map(child => short(child?.text ?? '', 200))
        : []
    if (definition?.type === 'function_definition') entries.push(functionEntry(definition, decorators, isClass))
    else if (definition?.type === 'class_definition') entries.push(classEntry(definition, decorators, leave))
    else if (node.type === 'expression_statement') entries.push(...assigned(node, isClass, leave))
    else if (node.type === 'type_alias_statement')
      entries.push(entry('type', node.childForFieldName('left')?.text ?? '', node, short(node.text)))
  }
  return entries
}

function functionEntry(node: Node, decorators: readonly string[], isClass: boolean): Entry {
  const isProperty = decorators.some(text => /^@(?:[\w.]*\.)?(?:cached_)?property$|\.setter$/.test(text))
  const kind = isClass ? (isProperty ? 'property' : 'method') : 'function'
  return entry(
    kind,
    node.childForFieldName('name')?.text ?? '',
    node,
    [...decorators, headOf(node)].join('\n'),
    docstringIn(node),
  )
}

function classEntry(node: Node, decorators: readonly string[], leave: LeftOutList['add']): Entry {
  const body = node.childForFieldName('body')
  const all = body ? latest(definitionsIn(body, leave, true)) : []
  const isShown = ({ name }: Entry) => !name.startsWith('_') || /^__\w+__$/.test(name)
  for (const member of all) if (!isShown(member)) leave('private members', member.name)
  return {
    ...entry(
      'class',
      node.childForFieldName('name')?.text ?? '',
      node,
      [...decorators, headOf(node)].join('\n'),
      docstringIn(node),
    ),
    members: all.filter(isShown),
  }
}

/** A constant, or an attribute with a type. */
function assigned(statement: Node, isClass: boolean, leave: LeftOutList['add']): Entry[] {
  const node = statement.namedChildren[0]
  const left = node?.type === 'assignment' ? node.childForFieldName('left') : null
  if (!node || left?.type !== 'identifier' || left.text === '__all__') return []
  const isTold = isClass || node.childForFieldName('type') !== null || /^[A-Z][A-Z0-9_]*$/.test(left.text)
  if (!isTold && !left.text.startsWith('_')) leave('variables without a type', left.text)
  return isTold ? [entry(isClass ? 'attribute' : 'constant', left.text, statement, short(node.text, 200))] : []
}

const entry = (kind: string, name: string, node: Node, signature: string, description = ''): Entry => ({
  kind,
  name,
  signature,
  line: node.startPosition.row + 1,
  description,
  members: [],
})

/** Up to the colon before its body, without comments. */
function headOf(node: Node): string {
  const body = node.childForFieldName('body')
  const { startIndex: start, text } = node
  const parts = node.children.filter(part => part && part.id !== body?.id)
  let head = ''
  let from = start
  for (const comment of parts.flatMap(part => part?.descendantsOfType('comment') ?? [])) {
    if (!comment) continue
    head += text.slice(from - start, comment.startIndex - start)
    from = comment.endIndex
  }
  head += text.slice(from - start, body ? body.startIndex - start : undefined)
  return short(head, 2000).replace(/ ?:$/, '')
}

/** A name that is defined again counts as it is last; overloads stand together. */
function latest(entries: readonly Entry[]): Entry[] {
  const byName = new Map<string, Entry>()
  for (const each of entries) {
    const known = byName.get(each.name)
    const isMore =
      known && (/^@(?:[\w.]*\.)?overload$/m.test(known.signature) || /\.(?:setter|deleter)$/m.test(each.signature))
    byName.set(
      each.name,
      known && isMore
        ? {
            ...known,
            signature: `${known.signature}\n${each.signature}`,
            description: known.description || each.description,
          }
        : each,
    )
  }
  return [...byName.values()]
}

/** What it has from elsewhere, under the names by which it has it. */
function importsIn(root: Node): Entry[] {
  return [...statementsIn(root)].flatMap(node => {
    if (node.type !== 'import_from_statement') return []
    const from = node.childForFieldName('module_name')
    if (node.namedChildren.some(child => child?.type === 'wildcard_import'))
      return [entry('re-export', `* from ${from?.text}`, node, `from ${from?.text} import *`)]
    return node.childrenForFieldName('name').flatMap(part => {
      const name = part?.childForFieldName('alias')?.text ?? part?.text
      return name === undefined ? [] : [entry('re-export', name, node, `from ${from?.text} import ${part?.text}`)]
    })
  })
}

function namesInAll(root: Node): Set<string> | undefined {
  const found = root.namedChildren.flatMap(statement => {
    const node = statement?.type === 'expression_statement' ? statement.namedChildren[0] : undefined
    const isAll = node && /^(?:augmented_)?assignment$/.test(node.type)
    if (!isAll || node.childForFieldName('left')?.text !== '__all__') return []
    return [node.descendantsOfType('string_content').flatMap(string => string?.text ?? [])]
  })
  return found.length === 0 ? undefined : new Set(found.flat())
}

const docstringIn = (node: Node): string => {
  const body = node.childForFieldName('body')
  return body ? docstringOf(body) : ''
}

/** Without its quotes and the indentation that all its lines have, as PEP 257 trims it. */
function docstringOf(block: Node): string {
  const first = block.namedChildren.find(child => child?.type !== 'comment')
  const string = first?.type === 'expression_statement' ? first.namedChildren[0] : undefined
  if (string?.type !== 'string') return ''
  const text = string.namedChildren.flatMap(child => (child?.type === 'string_content' ? child.text : [])).join('')
  const [head = '', ...rest] = text.split('\n').map(withoutTabs)
  const depth = indentation(rest)
  return [head.trim(), ...rest.map(line => line.slice(depth))].join('\n').replace(/^\n+/, '').trimEnd()
}

/** A tab goes on to the next multiple of eight columns. */
function withoutTabs(line: string): string {
  const [first = '', ...rest] = line.split('\t')
  return rest.reduce((text, part) => text + ' '.repeat(8 - (text.length % 8)) + part, first)
}
