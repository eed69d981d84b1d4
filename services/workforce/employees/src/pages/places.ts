/** A JSON Schema from the outside in: every place where a value can stand. */
import type { Schema } from '@millhand/workforce/employee'

export interface Place {
  /** `series[].name` for the names in a list; empty for the whole. */
  readonly path: string
  /** What a value there must fit; of a reference what it leads to, with what is said beside it. */
  readonly schema: Schema
  /** Whether it is the property of an object: a field with a name. */
  readonly named: boolean
  readonly required: boolean
}

/** In the order in which they are declared, each before what is in it. A schema that needs itself is entered once. Throws where a reference leads nowhere. */
export function* placesOf(root: Schema, at: At = { path: '', found: root, within: [] }): Generator<Place> {
  const { path, found, named = false, required = false, within } = at
  const target = followed(root, found)
  const schema = resolved(root, found)
  yield { path, schema, named, required }
  if (within.includes(target)) return
  for (const inner of partsOf(schema))
    yield* placesOf(root, { ...inner, path: path + inner.path, within: [...within, target] })
}

/** What a schema says, with what it refers to. */
export function resolved(root: Schema, schema: Schema): Schema {
  const target = followed(root, schema)
  return target === schema ? schema : { ...target, ...schema }
}

interface Part {
  /** From the schema that it is part of. */
  readonly path: string
  readonly found: Schema
  readonly named?: boolean
  readonly required?: boolean
}

interface At extends Part {
  /** The schemas that it stands in. */
  readonly within: readonly Schema[]
}

function partsOf(schema: Schema): Part[] {
  const { properties = {}, required = [], items, additionalProperties: others } = schema
  return [
    ...Object.entries(properties as Record<string, Schema>).map(([name, found]) => ({
      path: `.${name}`,
      found,
      named: true,
      required: (required as readonly string[]).includes(name),
    })),
    ...alternativesOf(schema).map(found => ({ path: '', found })),
    ...(isSchema(items) ? [{ path: '[]', found: items }] : []),
    ...(isSchema(others) ? [{ path: '.*', found: others }] : []),
  ]
}

/** What is said of it in several schemas, of which one or all hold. */
export const alternativesOf = ({ anyOf = [], oneOf = [], allOf = [] }: Schema): readonly Schema[] =>
  [anyOf, oneOf, allOf].flat() as Schema[]

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null

function followed(root: Schema, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema
  const [, name] = /^#\/\$defs\/(\w+)$/.exec(String(schema.$ref)) ?? []
  const target = (root.$defs as Readonly<Record<string, Schema>> | undefined)?.[String(name)]
  if (target === undefined) throw new Error(`${schema.$ref} leads nowhere`)
  return target
}
