/** Whether a JSON Schema is one that generated text can be held to: what a grammar can say, and bounded in size. */
import { excerpt } from './excerpt.ts'
import { isObject } from './is-object.ts'
import type { Schema } from './output-schema.ts'

/** What a grammar knows, and what says something to readers alone. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'items', 'minItems', 'maxItems'],
  ...['minLength', 'maxLength', 'enum', 'const', '$schema', 'title', 'description'],
])
const TYPES: readonly unknown[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']
const MOST_DEPTH = 8
const MOST_PROPERTIES = 64
const MOST_ITEMS = 100
/** llama.cpp refuses more repetitions of a character, which is two rules (`MAX_REPETITION_THRESHOLD`, 2,000). */
const MOST_CHARACTERS = 1_000
const MOST_VALUES = 100
/** Of rules that a grammar may come to: each repetition up to a bound is one. */
const MOST_RULES = 20_000
/** Of the schema as JSON: each token of the text is compared with every name and value. */
const MOST_JSON_CHARACTERS = 20_000

/** How the sentence goes on that begins with the parameter; undefined where nothing is wrong. */
export function responseSchemaFault(schema: unknown): string | undefined {
  try {
    const rules = rulesOf(schema, '', 1)
    if (JSON.stringify(schema).length > MOST_JSON_CHARACTERS)
      return `must have at most ${MOST_JSON_CHARACTERS} characters as JSON`
    return rules > MOST_RULES ? `may come to more than a grammar holds: lower \`maxItems\` or \`maxLength\`` : undefined
  } catch (error) {
    if (error instanceof Unfit) return error.message
    throw error
  }
}

class Unfit extends Error {}

/** About how many rules of a grammar the schema comes to. `path`: where it stands. */
function rulesOf(schema: unknown, path: string, depth: number): number {
  const unfit = (what: string) => new Unfit(path === '' ? what : `${what} at \`${excerpt(path, 128)}\``)
  if (!isObject(schema)) throw unfit('must be an object, as JSON Schema has it,')
  if (depth > MOST_DEPTH) throw unfit(`must have at most ${MOST_DEPTH} levels`)
  for (const keyword of Object.keys(schema))
    if (!KEYWORDS.has(keyword)) throw unfit(`has the keyword \`${excerpt(keyword)}\`, which is not supported,`)
  const { type, enum: values, const: only } = schema
  if (Object.hasOwn(schema, 'const')) {
    if (!isScalar(only)) throw unfit('must have a `const` that is a string, a number, true, false or null')
    requireWritable([only], unfit)
    return 1
  }
  if (values !== undefined) {
    if (!Array.isArray(values) || values.length === 0 || values.length > MOST_VALUES || !values.every(isScalar))
      throw unfit(`must have an \`enum\` of 1 to ${MOST_VALUES} strings, numbers, true, false or null`)
    requireWritable(values, unfit)
    return values.length
  }
  if (!TYPES.includes(type)) throw unfit(`must have a \`type\` (${TYPES.join(', ')}), an \`enum\` or a \`const\``)
  if (type === 'object') return ofObject(schema, path, depth, unfit)
  if (type === 'array') {
    const { most } = bounds(schema, ['minItems', 'maxItems'], MOST_ITEMS, unfit)
    return 1 + most * rulesOf(schema.items, `${path}.items`, depth + 1)
  }
  return type === 'string' ? 1 + bounds(schema, ['minLength', 'maxLength'], MOST_CHARACTERS, unfit).told : 1
}

type UnfitFor = (what: string) => Unfit

function ofObject(schema: Schema, path: string, depth: number, unfit: UnfitFor): number {
  const { properties, required, additionalProperties = false } = schema
  const names = isObject(properties) ? Object.keys(properties) : []
  if (names.length === 0 || names.length > MOST_PROPERTIES)
    throw unfit(`must have 1 to ${MOST_PROPERTIES} \`properties\` for each object`)
  if (additionalProperties !== false) throw unfit('must have no other `additionalProperties` than false')
  if (required !== undefined && !(Array.isArray(required) && required.every(name => names.includes(name))))
    throw unfit('must name properties of the object in `required`')
  requireWritable(names, unfit)
  return Object.entries(properties as Schema).reduce(
    (sum, [name, inner]) => sum + rulesOf(inner, `${path}.properties.${name}`, depth + 1),
    1,
  )
}

/** Of control characters, node-llama-cpp escapes tabs and line ends alone. A grammar ends at U+0000. */
function requireWritable(values: readonly unknown[], unfit: UnfitFor): void {
  const isWritable = (text: string) => text.isWellFormed() && !/[^\P{Cc}\t\n\r]/u.test(text)
  if (!values.every(value => typeof value !== 'string' || isWritable(value)))
    throw unfit('must have no control characters nor halves of surrogate pairs in names, `enum` and `const`,')
}

/** `most`: without a bound, the greatest one. `told`: only where the schema says it. */
function bounds(schema: Schema, [low, high]: readonly [string, string], limit: number, unfit: UnfitFor) {
  const [least, most] = [schema[low] ?? 0, schema[high] ?? limit]
  const isFit = (bound: unknown): bound is number => Number.isInteger(bound) && Number(bound) >= 0
  if (!isFit(least) || !isFit(most) || most > limit || least > most)
    throw unfit(`must have \`${low}\` and \`${high}\` that are whole numbers from 0 to ${limit}, in this order,`)
  return { most, told: schema[high] === undefined ? least : most }
}

const isScalar = (value: unknown): boolean =>
  value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value)
