import { type DescEnum, type DescField, type DescMessage, getOption, hasOption, ScalarType } from '@bufbuild/protobuf'
import { example, json_item as jsonItem, object$ as object } from '../gen/millhand/type/v1/access_pb.ts'
import { enumWords } from '../json/enum-words.ts'
import { isRequired } from '../json/reader.ts'
import { isJsonText } from '../json/well-known-types.ts'
import type { Comments } from './comments.ts'
import type { Schema } from './json-schema.ts'
import { choiceKeywords, isChoice, maxBytesOf, ruleKeywords } from './validation-keywords.ts'

/**
 * Who sends the value. Requests are closed, and hold to the rules of the proto; answers are open, since later versions
 * add fields and words. `query` is a request without `null`.
 */
type Sender = 'request' | 'query' | 'answer'

/** The schemas of messages, collected under the names that the document refers to them by. */
export interface Schemas {
  readonly components: Record<string, Schema>
  /**
   * A reference to a message's schema. `omit` names fields that come from elsewhere; `as` is the name that it has then,
   * where the message has two such schemas.
   */
  message(desc: DescMessage, sender: Sender, omit?: readonly string[], as?: string): Schema
  /** A field's own schema, with its description. */
  field(field: DescField, sender: Sender): Schema
}

export function createSchemas(comments: Comments): Schemas {
  const components: Record<string, Schema> = {}
  const owners = new Map<string, string>()

  function message(desc: DescMessage, sender: Sender, omit: readonly string[] = [], as?: string): Schema {
    const name = as ?? (sender === 'answer' || desc.name.endsWith('Request') ? desc.name : `${desc.name}Input`)
    const owner = `${desc.typeName} ${sender} ${omit.join()}`
    const other = owners.get(name)
    if (other === undefined) {
      owners.set(name, owner)
      components[name] = {}
      components[name] = body(desc, sender, omit)
    } else if (other !== owner) throw new Error(`two schemas have the name ${name}: ${other}, ${owner}`)
    return { $ref: `#/components/schemas/${name}` }
  }

  function body(desc: DescMessage, sender: Sender, omit: readonly string[]): Schema {
    const properties: Record<string, Schema> = {}
    const required: string[] = []
    if (sender === 'answer' && hasOption(desc, object)) {
      properties.object = { const: getOption(desc, object), description: 'What this is.' }
      required.push('object')
    }
    for (const member of desc.fields) {
      if (omit.includes(member.name)) continue
      properties[member.name] = field(member, sender)
      if (sender === 'answer' ? isAlwaysThere(member) : isRequired(member)) required.push(member.name)
    }
    return {
      type: 'object',
      description: comments(desc.typeName),
      properties,
      ...(required.length === 0 ? {} : { required }),
      ...(sender === 'answer' ? {} : { ...choiceKeywords(desc), additionalProperties: false }),
    }
  }

  function field(of: DescField, sender: Sender): Schema {
    const schema = merged(valueSchema(of, sender), sender === 'answer' ? {} : ruleKeywords(of))
    if (sender === 'request' && !isRequired(of) && !isChoice(of)) allowNull(schema)
    schema.description = describe(of, sender)
    const sample = getOption(of, example)
    if (sample !== '') schema.examples = [JSON.parse(sample)]
    return schema
  }

  function valueSchema(of: DescField, sender: Sender): Schema {
    if (of.fieldKind === 'list') return { type: 'array', items: isJsonText(of) ? jsonItems(of) : element(of, sender) }
    if (of.fieldKind === 'map') return { type: 'object', additionalProperties: element(of, sender) }
    return isJsonText(of) ? {} : element(of, sender)
  }

  /** What the JSON texts of a list are: each has the fields of its message, and those of one member of its oneof. */
  function jsonItems(of: DescField): Schema {
    const name = getOption(of, jsonItem)
    if (name === '') return {}
    const desc = of.parent.file.messages.find(({ typeName }) => typeName === name)
    const members = desc?.oneofs.flatMap(({ fields }) => fields.flatMap(({ message: member }) => member ?? []))
    if (desc === undefined || members === undefined) throw new Error(`there is no message ${name}`)
    const shared = desc.fields.filter(({ message: member }) => member === undefined)
    return { anyOf: members.map(member => jsonItemOf(member, shared)) }
  }

  function jsonItemOf(member: DescMessage, shared: readonly DescField[]): Schema {
    const name = member.name.replace(/Request$/, 'Item')
    if (components[name] === undefined) {
      const schema = body(member, 'request', [])
      const fields = Object.fromEntries(shared.map(one => [one.name, field(one, 'request')]))
      components[name] = { ...schema, properties: { ...fields, ...(schema.properties as Schema) } }
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  function element({ scalar, enum: words, message: desc }: DescField, sender: Sender): Schema {
    if (scalar !== undefined) return scalarSchema(scalar)
    if (words !== undefined) return enumSchema(words, sender)
    if (desc.typeName === 'google.protobuf.Timestamp') return { type: 'string', format: 'date-time' }
    if (desc.typeName === 'google.protobuf.Struct') return { type: 'object', additionalProperties: true }
    return message(desc, sender)
  }

  function describe(of: DescField, sender: Sender): string {
    const words = of.enum === undefined ? [] : [...enumWords(of.enum)]
    const meanings = words.map(([number, word]) => {
      const value = of.enum?.values.find(one => one.number === number)
      return `- \`${word}\`: ${comments(`${of.enum?.typeName}.${value?.name}`)}`
    })
    if (meanings.length > 0 && sender === 'answer') meanings.push('- others may come in later versions.')
    const bytes = sender === 'answer' ? undefined : maxBytesOf(of)
    const parts = [comments(`${of.parent.typeName}.${of.name}`)]
    if (bytes !== undefined) parts.push(`At most ${bytes.toLocaleString('en')} bytes in UTF-8.`)
    if (meanings.length > 0) parts.push(meanings.join('\n'))
    return parts.join('\n\n')
  }

  return { components, message, field }
}

/** Whether an answer always has the field: all but what the proto calls optional, and members of a oneof. */
function isAlwaysThere(field: DescField): boolean {
  return !field.proto.proto3Optional && field.oneof === undefined
}

function scalarSchema(scalar: ScalarType): Schema {
  switch (scalar) {
    case ScalarType.STRING:
      return { type: 'string' }
    case ScalarType.BOOL:
      return { type: 'boolean' }
    case ScalarType.BYTES:
      return { type: 'string', contentEncoding: 'base64' }
    case ScalarType.DOUBLE:
      return { type: 'number', format: 'double' }
    case ScalarType.FLOAT:
      return { type: 'number', format: 'float' }
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return { type: 'integer', minimum: 0, maximum: 2 ** 32 - 1 }
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return { type: 'integer', minimum: 0, format: 'int64' }
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return { type: 'integer', format: 'int64' }
    default:
      return { type: 'integer', format: 'int32', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }
  }
}

function enumSchema(desc: DescEnum, sender: Sender): Schema {
  const words = [...enumWords(desc).values()]
  return sender === 'answer' ? { type: 'string', 'x-extensible-enum': words } : { type: 'string', enum: words }
}

/** The keywords of both; those of `rules` win, and go into items and values as well. */
function merged(schema: Schema, rules: Schema): Schema {
  const result = { ...schema, ...rules }
  for (const inner of ['items', 'additionalProperties'] as const) {
    if (schema[inner] instanceof Object) result[inner] = merged(schema[inner] as Schema, (rules[inner] ?? {}) as Schema)
  }
  return result
}

/** A request may say `null` for what it leaves out. */
function allowNull(schema: Schema): void {
  if (schema.$ref !== undefined) {
    schema.anyOf = [{ $ref: schema.$ref }, { type: 'null' }]
    delete schema.$ref
  } else if (schema.type !== undefined) {
    schema.type = [schema.type, 'null']
    if (Array.isArray(schema.enum)) schema.enum = [...schema.enum, null]
  }
}
