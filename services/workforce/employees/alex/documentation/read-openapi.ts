/** The operations and schemas of a description in OpenAPI 3 or Swagger 2, JSON or YAML. References are named, not followed. */
import { parse } from 'yaml'
import { type Entry, type Module, short, Unreadable } from './reference.ts'

export function readOpenApi(file: string, text: string): Module {
  const root = objectIn(treeOfOpenApi(text))
  if (typeof root.openapi !== 'string' && typeof root.swagger !== 'string')
    throw new Unreadable('It is no description in OpenAPI.')
  const lineOf = lines(text)
  const paths = Object.entries(objectIn(root.paths)).flatMap(([path, item]) =>
    methods.flatMap(method => {
      const operation = objectIn(item)[method]
      return operation === undefined
        ? []
        : [operationEntry(method, path, objectIn(item), objectIn(operation), lineOf(path))]
    }),
  )
  const schemas = Object.entries(objectIn(objectIn(root.components).schemas ?? root.definitions)).map(
    ([name, schema]) => ({
      kind: 'schema',
      name,
      signature: `${name}: ${typeOf(schema)}`,
      line: lineOf(name),
      description: textOf(objectIn(schema).description),
      members: propertiesOf(objectIn(schema), lineOf),
    }),
  )
  const info = objectIn(root.info)
  const description = [textOf(info.title), textOf(info.version), textOf(info.description)]
    .filter(part => part !== '')
    .join('\n\n')
  return { file, language: 'openapi', description, entries: [...paths, ...schemas], left_out: [] }
}

export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

type Json = Readonly<Record<string, unknown>>

export function treeOfOpenApi(text: string): unknown {
  try {
    return text.trimStart().startsWith('{') ? JSON.parse(text) : parse(text, { maxAliasCount: 100, logLevel: 'silent' })
  } catch (error) {
    throw new Unreadable(short(error instanceof Error ? error.message : '', 200))
  }
}

export const objectIn = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

function operationEntry(method: string, path: string, item: Json, operation: Json, line: number): Entry {
  const parameters = [...listIn(item.parameters), ...listIn(operation.parameters)].map(value => {
    const { name, in: place, required, schema, description, $ref, type } = objectIn(value)
    const named = textOf(name) || lastOf(textOf($ref))
    return part(
      'parameter',
      named,
      `${named}${required === true ? '' : '?'}: ${typeOf(schema ?? { type })}${place ? ` (${textOf(place)})` : ''}`,
      textOf(description),
      line,
    )
  })
  const body =
    operation.requestBody === undefined
      ? []
      : [
          part(
            'body',
            'body',
            `body: ${contentOf(operation.requestBody)}`,
            textOf(objectIn(operation.requestBody).description),
            line,
          ),
        ]
  const responses = Object.entries(objectIn(operation.responses)).map(([status, response]) =>
    part('response', status, `${status}: ${contentOf(response)}`, textOf(objectIn(response).description), line),
  )
  const good = responses.find(({ name }) => name.startsWith('2'))
  const name = `${method.toUpperCase()} ${path}`
  const description = [
    operation.deprecated === true ? 'Deprecated.' : '',
    textOf(operation.summary),
    textOf(operation.description),
  ]
    .filter(text => text !== '')
    .join('\n\n')
  return {
    kind: 'operation',
    name,
    signature: `${name}${good ? ` → ${good.signature}` : ''}`,
    line,
    description,
    members: [...parameters, ...body, ...responses],
  }
}

const part = (kind: string, name: string, signature: string, description: string, line: number): Entry => ({
  kind,
  name,
  signature: short(signature),
  line,
  description,
  members: [],
})

function contentOf(value: unknown): string {
  const { content, schema, $ref } = objectIn(value)
  const types = Object.entries(objectIn(content)).map(([media, of]) => `${typeOf(objectIn(of).schema)} (${media})`)
  return types.join(' | ') || (schema === undefined ? lastOf(textOf($ref)) || 'nothing' : typeOf(schema))
}

const propertiesOf = (schema: Json, lineOf: (name: string) => number): Entry[] => {
  const required = listIn(schema.required)
  const own = Object.entries(objectIn(schema.properties)).map(([name, value]) =>
    part(
      'property',
      name,
      `${name}${required.includes(name) ? '' : '?'}: ${typeOf(value)}`,
      textOf(objectIn(value).description),
      lineOf(name),
    ),
  )
  return [...own, ...listIn(schema.allOf).flatMap(value => propertiesOf(objectIn(value), lineOf))]
}

function typeOf(value: unknown, depth = 0): string {
  const {
    $ref,
    type,
    format,
    items,
    enum: choices,
    oneOf,
    anyOf,
    allOf,
    const: only,
    additionalProperties,
    properties,
  } = objectIn(value)
  const each = (values: unknown, sign: string) =>
    listIn(values)
      .slice(0, MOST_CHOICES)
      .map(of => typeOf(of, depth + 1))
      .join(sign)
  if (typeof $ref === 'string') return lastOf($ref)
  if (depth > MOST_DEPTH) return '…'
  if (choices !== undefined)
    return listIn(choices)
      .slice(0, MOST_CHOICES)
      .map(choice => JSON.stringify(choice))
      .join(' | ')
  if (only !== undefined) return JSON.stringify(only)
  if (oneOf ?? anyOf) return each(oneOf ?? anyOf, ' | ')
  if (allOf) return each(allOf, ' & ')
  const named = Array.isArray(type) ? type.map(String).join(' | ') : textOf(type)
  if (items !== undefined) return `${typeOf(items, depth + 1)}[]`
  if (typeof additionalProperties === 'object' && properties === undefined)
    return `map of ${typeOf(additionalProperties, depth + 1)}`
  return `${named || (properties ? 'object' : 'any')}${format ? ` (${textOf(format)})` : ''}`
}

const MOST_DEPTH = 5
const MOST_CHOICES = 30

const lastOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1)

/** The line in which a key stands first; 1 where it is not found. */
function lines(text: string): (key: string) => number {
  const known = new Map<string, number>()
  for (const [at, line] of text.split('\n').entries()) {
    const key = /^\s*(?:"([^"]{1,300})"|'([^']{1,300})'|([^\s"'#][^:]{0,300}?)) *:/.exec(line)
    const name = key?.[1] ?? key?.[2] ?? key?.[3]
    if (name !== undefined && !known.has(name)) known.set(name, at + 1)
  }
  return key => known.get(key) ?? 1
}
