/** A value made up from a JSON Schema: valid by it, and nothing else. */
import type { Schema } from '@millhand/workforce/employee'

/** Numbers that look random and follow from the request. */
export interface Dice {
  /** From 0 up to 1. */
  next(): number
  /** A whole number, both ends included. */
  between(least: number, most: number): number
}

/** Of the keywords that the kinds' schemas use. Throws where no text that it knows fits a `pattern`. */
export function madeUp(schema: Schema, dice: Dice, root: Schema = schema, depth = 0): unknown {
  const { $ref, enum: values, examples, anyOf, oneOf } = schema as Keywords
  const make = (other: Schema) => madeUp(other, dice, root, depth + 1)
  if ($ref !== undefined) return make(definition(root, $ref))
  if ('const' in schema) return schema.const
  if (values !== undefined) return one(values, dice)
  if (examples !== undefined) return one(examples, dice)
  const choices = anyOf ?? oneOf
  if (choices !== undefined) return make(one(choices, dice))
  switch (typeOf(schema, dice)) {
    case 'object':
      return objectOf(schema as Keywords, make)
    case 'array':
      return listOf(schema as Keywords, dice, make, depth < DEEPEST ? MOST_ITEMS : 0)
    case 'string':
      return textOf(schema as Keywords, dice)
    case 'integer':
      return numberOf(schema as Keywords, dice, 1)
    case 'number':
      return numberOf(schema as Keywords, dice, 1_000)
    case 'boolean':
      return dice.next() < 0.5
    default:
      return null
  }
}

interface Keywords {
  readonly $ref?: string
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
}

function definition(root: Schema, ref: string): Schema {
  let found: unknown = root
  for (const part of ref.split('/').slice(1)) found = (found as Record<string, unknown>)[part]
  if (typeof found !== 'object' || found === null) throw new Error(`the schema has no ${ref}`)
  return found as Schema
}

/** One of the types, `null` where there is no other. */
function typeOf({ type }: Schema, dice: Dice): unknown {
  if (!Array.isArray(type)) return type
  const values = type.filter(each => each !== 'null')
  return values.length === 0 ? 'null' : one(values, dice)
}

const objectOf = ({ properties = {} }: Keywords, make: (schema: Schema) => unknown) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, make(schema)]))

function listOf(
  { items, minItems = 0, maxItems = MOST_ITEMS }: Keywords,
  dice: Dice,
  make: (schema: Schema) => unknown,
  room: number,
) {
  if (items === undefined) return []
  const most = Math.max(minItems, Math.min(maxItems, room))
  return Array.from({ length: dice.between(Math.min(Math.max(minItems, 1), most), most) }, () => make(items))
}

/** What nests must stay small. */
const MOST_ITEMS = 2
/** What needs itself must end: of schemas within each other, beyond these a list has no more than it must. */
const DEEPEST = 10

function textOf(
  { format, pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Keywords,
  dice: Dice,
): string {
  if (pattern !== undefined) return fitting(pattern, dice)
  if (format === 'date') return '2026-01-01'
  if (format === 'date-time') return '2026-01-01T00:00:00Z'
  if (format === 'uri') return 'https://example.com/'
  let text = one(WORDS, dice)
  while (text.length < minLength) text += ` ${one(WORDS, dice)}`
  return text.slice(0, maxLength)
}

/** A word where one fits, else a colour. */
function fitting(pattern: string, dice: Dice): string {
  const form = new RegExp(pattern, 'u')
  const colour = `#${dice.between(0, 0xff_ff_ff).toString(16).padStart(6, '0')}`
  const found = [one(WORDS, dice), colour].find(text => form.test(text))
  if (found === undefined) throw new Error(`nothing to make up fits ${pattern}`)
  return found
}

const WORDS = ['alder', 'birch', 'cedar', 'elm', 'hazel', 'larch', 'maple', 'oak', 'pine', 'rowan', 'willow'] as const

/** `steps` to a whole number. */
function numberOf({ minimum, maximum }: Keywords, dice: Dice, steps: number): number {
  const least = minimum ?? Math.min(0, maximum ?? 0)
  const most = maximum ?? least + USUAL_SPAN
  return dice.between(Math.ceil(least * steps), Math.floor(Math.min(most, least + USUAL_SPAN) * steps)) / steps
}

const USUAL_SPAN = 100

function one<T>(values: readonly T[], dice: Dice): T {
  return values[dice.between(0, values.length - 1)] as T
}
