import type { Schema } from '@millhand/workforce/employee'
import { cell, code } from './markdown.ts'
import { alternativesOf, placesOf, resolved } from './places.ts'

/** Every field of a schema as a table, empty of one that has none. Of what is sent it says what must be, of what is given what may lack. */
export function fieldTable(root: Schema, way: 'sent' | 'given'): string {
  const rows = [...placesOf(root)].flatMap(({ path, schema, named, required }) => {
    if (!named) return []
    const { title, description } = schema
    const presence = way === 'sent' ? (required ? '; **required**' : '') : required ? '' : '; may be absent'
    return [
      `| ${code(path.slice(1))} | ${cell(takes(root, schema))}${presence} | **${cell(String(title))}.** ${cell(String(description))} |`,
    ]
  })
  return rows.length === 0
    ? ''
    : [`| field | ${way === 'sent' ? 'takes' : 'is'} | |`, '|---|---|---|', ...rows].join('\n')
}

/** What can stand there, in words. */
function takes(root: Schema, found: Schema): string {
  const schema = resolved(root, found)
  const { const: only, enum: choices, default: preset } = schema
  const others = alternativesOf(schema)
  const types = [schema.type ?? []].flat() as string[]
  const said =
    choices !== undefined
      ? (choices as unknown[]).map(choice => code(JSON.stringify(choice))).join(', ')
      : only !== undefined
        ? code(JSON.stringify(only))
        : others.length > 0
          ? [...new Set(others.map(other => takes(root, other)))].join(' or ')
          : types.map(type => ofType(root, schema, type)).join(' or ')
  return preset === undefined ? said : `${said}; ${code(JSON.stringify(preset))} where not given`
}

function ofType(root: Schema, schema: Schema, type: string): string {
  switch (type) {
    case 'string':
      return schema.maxLength === undefined ? 'text' : `text of at most ${figure(schema.maxLength)} characters`
    case 'integer':
      return `whole number${range(schema.minimum, schema.maximum)}`
    case 'number':
      return `number${range(schema.minimum, schema.maximum)}`
    case 'boolean':
      return 'true or false'
    case 'array':
      return `list${range(schema.minItems, schema.maxItems)} of: ${takes(root, (schema.items ?? {}) as Schema)}`
    default:
      return type
  }
}

function range(least: unknown, most: unknown): string {
  if (least !== undefined && most !== undefined) return ` from ${figure(least)} to ${figure(most)}`
  if (least !== undefined) return ` of at least ${figure(least)}`
  return most === undefined ? '' : ` of at most ${figure(most)}`
}

const figure = (value: unknown) => Number(value).toLocaleString('en-US')
