import {
  type DescField,
  type DescMessage,
  getOption,
  hasOption,
  isFieldSet,
  type Message,
  ScalarType,
} from '@bufbuild/protobuf'
import {
  DoubleRulesSchema,
  EnumRulesSchema,
  type FieldRules,
  FieldRulesSchema,
  FloatRulesSchema,
  Int32RulesSchema,
  Int64RulesSchema,
  MapRulesSchema,
  message as messageRules,
  RepeatedRulesSchema,
  field as rulesOption,
  StringRulesSchema,
  UInt32RulesSchema,
  UInt64RulesSchema,
} from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'
import { allowedWords } from '../json/enum-words.ts'
import type { Schema } from './json-schema.ts'

/**
 * A field's `buf.validate` rules as keywords of JSON Schema. Throws for a rule that has no keyword here, so that the
 * document never says less than the service checks.
 */
export function ruleKeywords(field: DescField): Schema {
  const own = hasOption(field, rulesOption) ? keywords(field, getOption(field, rulesOption)) : {}
  return isChoice(field) ? { ...requiredKeywords(field), ...own } : own
}

/** Of fields of which exactly one is needed. Throws for other rules about several fields. */
export function choiceKeywords(desc: DescMessage): Schema {
  const choices = choicesOf(desc)
  if (choices.length === 0) return {}
  const [choice, another] = choices
  if (!choice?.required || another) throw new Error(`${desc.typeName}: no keyword for its buf.validate message rules`)
  return { oneOf: choice.fields.map(name => ({ required: [name] })) }
}

/** Whether it is a field of which, and others, exactly one is needed. */
export const isChoice = (field: DescField): boolean =>
  choicesOf(field.parent).some(({ fields }) => fields.includes(field.name))

const choicesOf = (desc: DescMessage) => (hasOption(desc, messageRules) ? getOption(desc, messageRules).oneof : [])

/** The most bytes that a string may have in UTF-8, for which JSON Schema has no keyword. */
export function maxBytesOf(field: DescField): number | undefined {
  const { type } = getOption(field, rulesOption)
  return type.case === 'string' && type.value.maxBytes > 0n ? Number(type.value.maxBytes) : undefined
}

function keywords(field: DescField, rules: FieldRules): Schema {
  const { type } = rules
  const schema: Schema = rules.required ? requiredKeywords(field) : {}
  known(field, FieldRulesSchema, rules, ['required', type.case ?? ''])
  switch (type.case) {
    case undefined:
      return schema
    case 'string': {
      const { minLen, maxLen, maxBytes, pattern } = type.value
      known(field, StringRulesSchema, type.value, ['min_len', 'max_len', 'max_bytes', 'pattern'])
      if (minLen > 0n) schema.minLength = Number(minLen)
      if (maxLen > 0n) schema.maxLength = Number(maxLen)
      if (pattern !== '') schema.pattern = pattern
      // JSON Schema counts characters; each has at least one byte, so this is the bound that it can state.
      if (maxBytes > 0n) schema.maxLength = Number(maxBytes)
      return schema
    }
    case 'int32':
    case 'uint32':
    case 'int64':
    case 'uint64':
    case 'double':
    case 'float': {
      const { greaterThan, lessThan } = type.value
      known(field, numberRules[type.case], type.value, ['gt', 'gte', 'lt', 'lte'])
      if (greaterThan.case === 'gte') schema.minimum = Number(greaterThan.value)
      if (greaterThan.case === 'gt') schema.exclusiveMinimum = Number(greaterThan.value)
      if (lessThan.case === 'lte') schema.maximum = Number(lessThan.value)
      if (lessThan.case === 'lt') schema.exclusiveMaximum = Number(lessThan.value)
      return schema
    }
    case 'enum': {
      known(field, EnumRulesSchema, type.value, ['defined_only', 'in', 'not_in'])
      if (field.enum !== undefined) schema.enum = allowedWords(field)
      return schema
    }
    case 'repeated': {
      const { minItems, maxItems, unique, items } = type.value
      known(field, RepeatedRulesSchema, type.value, ['min_items', 'max_items', 'unique', 'items'])
      if (minItems > 0n) schema.minItems = Number(minItems)
      if (maxItems > 0n) schema.maxItems = Number(maxItems)
      if (unique) schema.uniqueItems = true
      if (items !== undefined) schema.items = keywords(field, items)
      return schema
    }
    case 'map': {
      const { minPairs, maxPairs, keys, values } = type.value
      known(field, MapRulesSchema, type.value, ['min_pairs', 'max_pairs', 'keys', 'values'])
      if (minPairs > 0n) schema.minProperties = Number(minPairs)
      if (maxPairs > 0n) schema.maxProperties = Number(maxPairs)
      if (keys !== undefined) schema.propertyNames = keywords(field, keys)
      if (values !== undefined) schema.additionalProperties = keywords(field, values)
      return schema
    }
    default:
      throw new Error(`${field}: no keyword for buf.validate ${type.case}`)
  }
}

/** What `required` says of the value itself: without presence the zero counts as absent. */
function requiredKeywords(field: DescField): Schema {
  if (field.proto.proto3Optional || field.fieldKind === 'enum' || field.fieldKind === 'message') return {}
  if (field.fieldKind === 'list') return { minItems: 1 }
  if (field.fieldKind === 'map') return { minProperties: 1 }
  const isText = field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES
  return isText ? { minLength: 1 } : { not: { enum: [0, false] } }
}

/** Throws where the rules have one that is not among `names`. */
function known(field: DescField, schema: DescMessage, rules: Message, names: readonly string[]): void {
  for (const rule of schema.fields) {
    if (isFieldSet(rules, rule) && !names.includes(rule.name)) {
      throw new Error(`${field}: no keyword for buf.validate ${schema.name}.${rule.name}`)
    }
  }
}

const numberRules = {
  int32: Int32RulesSchema,
  uint32: UInt32RulesSchema,
  int64: Int64RulesSchema,
  uint64: UInt64RulesSchema,
  double: DoubleRulesSchema,
  float: FloatRulesSchema,
}
