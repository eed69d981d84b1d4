/**
 * The grammar that holds a model to a JSON Schema. It is node-llama-cpp's, which ignores patterns and writes a rule for
 * each sign that a text may have; so patterns are put in here, and long texts have no bound but the answer's own.
 */
import type { Schema } from '@millhand/model'
import { patternRule } from './pattern-rule.ts'

/** In GBNF. What a grammar can't say of the schema is left to whoever checks the answer. */
export async function grammarOf(schema: Schema, made: (known: Schema) => Promise<string>): Promise<string> {
  const rules: string[] = []
  const grammar = await made(known(schema, rules))
  // It would have a model end its answer with empty lines, to be told by them.
  const ended = grammar.replace(String.raw` "\n\n\n\n" [\n]*`, '')
  return rules.reduce((text, rule, at) => text.replace(`"\\"${standIn(at)}\\""`, () => `"\\"" ${rule} "\\""`), ended)
}

/** Each repetition up to it is a rule of its own, and llama.cpp refuses a grammar with more. */
const MOST_CHARACTERS = 1_000
const COPIED = ['type', 'enum', 'const', 'minItems', 'maxItems', 'minLength']

const standIn = (at: number): string => `by pattern ${at}`

function known(schema: Schema, rules: string[]): Schema {
  const { properties, items, maxLength, pattern } = schema
  const rule = typeof pattern === 'string' ? patternRule(pattern) : undefined
  if (rule !== undefined) return { const: standIn(rules.push(rule) - 1) }
  return {
    ...Object.fromEntries(COPIED.filter(name => schema[name] !== undefined).map(name => [name, schema[name]])),
    ...(typeof maxLength === 'number' && maxLength <= MOST_CHARACTERS && { maxLength }),
    ...(isSchema(items) && { items: known(items, rules) }),
    ...(isSchema(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, known(inner as Schema, rules)]),
      ),
    }),
  }
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null
