/** The messages, enums and services of a proto file, by protobufjs. */
import { createRequire } from 'node:module'
import type * as Protobuf from 'protobufjs'
import { type Entry, type Module, short, Unreadable } from './reference.ts'

const require = createRequire(import.meta.url)

export function readProto(file: string, text: string): Module {
  const { parse }: typeof Protobuf = require('protobufjs')
  const lineOf = lines(text)
  try {
    const { root, package: name } = parse(text, { keepCase: true, alternateCommentMode: true })
    return {
      file,
      language: 'proto',
      description: name ? `package ${name}` : '',
      entries: entriesIn(root, '', lineOf),
      left_out: [],
    }
  } catch (error) {
    if (error instanceof RangeError) throw error
    throw new Unreadable(short(error instanceof Error ? error.message : '', 200))
  }
}

type LineOf = (word: string, name: string) => number

function entriesIn(parent: Protobuf.NamespaceBase, within: string, lineOf: LineOf): Entry[] {
  const { Type, Enum, Service, Namespace }: typeof Protobuf = require('protobufjs')
  return parent.nestedArray.flatMap((node): Entry[] => {
    const name = `${within}${node.name}`
    const told = (kind: string, members: readonly Entry[]): Entry => ({
      kind,
      name,
      signature: `${kind} ${name}`,
      line: lineOf(kind, node.name),
      description: node.comment ?? '',
      members,
    })
    if (node instanceof Type)
      return [
        told(
          'message',
          node.fieldsArray.map(field => fieldEntry(field, lineOf)),
        ),
        ...entriesIn(node, `${name}.`, lineOf),
      ]
    if (node instanceof Enum) {
      const values = Object.entries(node.values).map(([value, number]) =>
        member('value', value, `${value} = ${number}`, node.comments[value], lineOf),
      )
      return [told('enum', values)]
    }
    if (node instanceof Service)
      return [
        told(
          'service',
          node.methodsArray.map(method => methodEntry(method, lineOf)),
        ),
      ]
    // A package is a namespace a word; what it is called stands at the top.
    return node instanceof Namespace ? entriesIn(node, '', lineOf) : []
  })
}

function fieldEntry(field: Protobuf.Field, lineOf: LineOf): Entry {
  const keyType = 'keyType' in field ? String(field.keyType) : undefined
  const type = keyType === undefined ? field.type : `map<${keyType}, ${field.type}>`
  const word = field.repeated && keyType === undefined ? 'repeated ' : field.options?.proto3_optional ? 'optional ' : ''
  const choice = field.partOf && !field.options?.proto3_optional ? ` (one of ${field.partOf.name})` : ''
  return member('field', field.name, `${word}${type} ${field.name} = ${field.id}${choice}`, field.comment, lineOf)
}

function methodEntry(method: Protobuf.Method, lineOf: LineOf): Entry {
  const asked = `${method.requestStream ? 'stream ' : ''}${method.requestType}`
  const given = `${method.responseStream ? 'stream ' : ''}${method.responseType}`
  return member('rpc', method.name, `rpc ${method.name}(${asked}) returns (${given})`, method.comment, lineOf)
}

const member = (
  kind: string,
  name: string,
  signature: string,
  description: string | null | undefined,
  lineOf: LineOf,
): Entry => ({
  kind,
  name,
  signature,
  line: lineOf(kind, name),
  description: description ?? '',
  members: [],
})

/** Where a word and a name stand together first; for fields and values the name alone. The parser keeps no lines. */
function lines(text: string): LineOf {
  const known = new Map<string, number>()
  for (const [at, line] of text.split('\n').entries()) {
    const [, word, name] = /^\s*(message|enum|service|rpc)\s+(\w{1,200})/.exec(line) ?? []
    const [, field] = /^[^=/]{0,300}?\b(\w{1,200})\s*=\s*-?\d/.exec(line) ?? []
    for (const key of [word && `${word} ${name}`, field && `field ${field}`])
      if (key && !known.has(key)) known.set(key, at + 1)
  }
  return (word, name) => known.get(`${/^(?:field|value)$/.test(word) ? 'field' : word} ${name}`) ?? 1
}
