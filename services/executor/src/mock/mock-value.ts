/** A value that fits a JSON Schema of those that generated text can be held to. */
import type { Schema } from '@millhand/model'
import type { SeededRandom } from './seeded-random.ts'

export function mockValue(schema: Schema, dice: SeededRandom): unknown {
  if (Object.hasOwn(schema, 'const')) return schema.const
  if (Array.isArray(schema.enum)) return dice.one(schema.enum as unknown as readonly [unknown, ...unknown[]])
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties as Record<string, Schema>).map(([name, inner]) => [
          name,
          mockValue(inner, dice),
        ]),
      )
    case 'array': {
      const { least, most } = bounds(schema.minItems, schema.maxItems)
      return Array.from({ length: dice.between(least, most) }, () => mockValue(schema.items as Schema, dice))
    }
    case 'string': {
      const { least, most } = bounds(schema.minLength, schema.maxLength)
      const length = dice.between(least, most)
      return 'sandbox '.repeat(length / 8 + 1).slice(0, length)
    }
    case 'boolean':
      return dice.between(0, 1) === 1
    case 'null':
      return null
    default:
      return dice.between(0, 9)
  }
}

/** No more than it has to have, where that is enough to be seen. */
function bounds(least: unknown = 0, most: unknown = Number(least) + 8) {
  return { least: Number(least), most: Math.min(Number(most), Number(least) + 8) }
}
