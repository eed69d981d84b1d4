/** Source that checks one value, the items of a list, or the entries of a map, in the order of protovalidate. */
import type { DescField, DescMessage, Message } from '@bufbuild/protobuf'
import {
  BytesRulesSchema,
  DoubleRulesSchema,
  EnumRulesSchema,
  type FieldRules,
  FieldRulesSchema,
  FloatRulesSchema,
  Int32RulesSchema,
  Int64RulesSchema,
  MapRulesSchema,
  RepeatedRulesSchema,
  StringRulesSchema,
  UInt32RulesSchema,
  UInt64RulesSchema,
} from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'
import { mostEntries, tooManyEntries } from '@millhand/api'
import type { Subject } from './broken-rule.ts'
import { allow } from './known-rules.ts'
import { type NumberRules, rangeOf, rangeWords, ruleWords } from './rule-words.ts'
import { addCall, addCallWith, block, type Lines, otherwise, quote } from './source-lines.ts'

/** The names of constants, by the pattern that each holds. */
export type Patterns = Map<string, string>

interface CheckedValue {
  readonly field: DescField
  readonly rules: FieldRules
  /** Source of the value, and of its path. */
  readonly value: string
  readonly path: string
  readonly patterns: Patterns
  readonly subject?: Subject
  /** Whether it was found not to be the zero value. */
  readonly isNotEmpty?: boolean
}

/** Checks a scalar or an enum. */
export function valueLines(checked: CheckedValue): Lines {
  const { field, rules } = checked
  switch (rules.type.case) {
    case undefined:
      return []
    case 'string':
      return stringLines(checked, rules.type.value)
    case 'bytes':
      return bytesLines(checked, rules.type.value)
    case 'enum':
      return enumLines(checked, rules.type.value)
    case 'int32':
    case 'uint32':
    case 'int64':
    case 'uint64':
    case 'double':
    case 'float':
      return numberLines(checked, rules.type.case, rules.type.value)
    default:
      throw new Error(`${field}: no code for buf.validate ${rules.type.case}`)
  }
}

/** Checks a list; `each` checks the messages in it. */
export function listLines(
  field: DescField & { fieldKind: 'list' },
  { type }: FieldRules,
  value: string,
  patterns: Patterns,
  each: string | undefined,
): Lines {
  if (type.case === undefined) return each === undefined ? [] : [each]
  if (type.case !== 'repeated') throw new Error(`${field}: no code for buf.validate ${type.case} on a list`)
  const { minItems, unique, items } = type.value
  allow(field, RepeatedRulesSchema, type.value, ['min_items', 'max_items', 'unique', 'items'])
  if (unique && field.listKind === 'message') throw new Error(`${field}: no code for unique messages`)
  const path = quote(field.name)
  const say = (rule: string, text: string) => addCall(path, ruleWords(`repeated.${rule}`, text, field))
  const inner = [
    ...(minItems > 0n
      ? [`if (${value}.length < ${minItems}) ${say('min_items', `must contain at least ${minItems} item(s)`)}`]
      : []),
    ...(unique ? [`if (hasRepeats(${value})) ${say('unique', 'repeated value must contain unique items')}`] : []),
    ...(each === undefined ? itemLines(field, items, value, patterns) : [each]),
  ]
  return bounded(field, `${value}.length`, inner)
}

function itemLines(
  field: DescField & { fieldKind: 'list' },
  items: FieldRules | undefined,
  value: string,
  patterns: Patterns,
): Lines {
  if (items === undefined) return []
  allow(field, FieldRulesSchema, items, [items.type.case ?? ''])
  if (field.listKind === 'message') throw new Error(`${field}: no code for rules of items`)
  const path = `\`${field.name}[\${at}]\``
  const lines = valueLines({ field, rules: items, value: 'item', path, patterns })
  return block(`for (const [at, item] of ${value}.entries()) {`, ['if (isEnough(broken)) break', ...lines], '}')
}

/** Checks a map from texts. */
export function mapLines(
  field: DescField & { fieldKind: 'map' },
  { type }: FieldRules,
  value: string,
  patterns: Patterns,
): Lines {
  if (field.mapKind === 'message') throw new Error(`${field}: no code for a map of messages`)
  if (type.case === undefined) return []
  if (type.case !== 'map') throw new Error(`${field}: no code for buf.validate ${type.case} on a map`)
  const { minPairs, keys, values } = type.value
  allow(field, MapRulesSchema, type.value, ['min_pairs', 'max_pairs', 'keys', 'values'])
  const words = ruleWords('map.min_pairs', `map must be at least ${minPairs} entries`, field)
  const path = `entryPath(${quote(field.name)}, key)`
  const ofEntry = (rules: FieldRules | undefined, source: string, subject: Subject) => {
    if (rules === undefined) return []
    allow(field, FieldRulesSchema, rules, [rules.type.case ?? ''])
    return valueLines({ field, rules, value: source, path, patterns, subject })
  }
  const entries = [...ofEntry(keys, 'key', 'key'), ...ofEntry(values, 'value', 'value')]
  return bounded(field, `Object.keys(${value}).length`, [
    ...(minPairs > 0n ? [`if (Object.keys(${value}).length < ${minPairs}) ${addCall(quote(field.name), words)}`] : []),
    ...(entries.length === 0
      ? []
      : block(
          `for (const [key, value] of Object.entries(${value})) {`,
          ['if (isEnough(broken)) break', ...entries],
          '}',
        )),
  ])
}

/** Nothing else is checked of what has too many entries. */
function bounded(field: DescField, length: string, lines: Lines): Lines {
  const most = mostEntries(field)
  if (most === undefined) return lines
  const tooMany = addCall(quote(field.name), { code: 'too_many', says: tooManyEntries(field, most) })
  return [`if (${length} > ${most}) ${tooMany}`, ...otherwise(lines)]
}

type RulesOf<Case> = Extract<FieldRules['type'], { readonly case: Case }>['value']

function stringLines(
  { field, value, path, patterns, subject, isNotEmpty }: CheckedValue,
  rules: RulesOf<'string'>,
): Lines {
  allow(field, StringRulesSchema, rules, ['len', 'min_len', 'max_len', 'max_bytes', 'pattern', 'in'])
  const { len, minLen, maxLen, maxBytes, pattern, in: only } = rules
  const say = (rule: string, text: string) => addCall(path, ruleWords(`string.${rule}`, text, field), subject)
  const tooShort = minLen === 1n ? `${value} === ''` : `lengthOf(${value}) < ${minLen}`
  // What is far over its bound is that one fault: neither pattern nor list looks at it.
  const far = maxLen > 0n ? 2n * maxLen : maxBytes > 0n ? maxBytes : undefined
  const isNear = far === undefined ? '' : `${value}.length <= ${far} && `
  return [
    ...(len > 0n ? [`if (lengthOf(${value}) !== ${len}) ${say('len', `must be ${len} characters`)}`] : []),
    ...(minLen > (isNotEmpty ? 1n : 0n)
      ? [`if (${tooShort}) ${say('min_len', `must be at least ${minLen} characters`)}`]
      : []),
    ...(maxLen > 0n
      ? [`if (isLonger(${value}, ${maxLen})) ${say('max_len', `must be at most ${maxLen} characters`)}`]
      : []),
    ...(maxBytes > 0n
      ? [`if (isOverBytes(${value}, ${maxBytes})) ${say('max_bytes', `must be at most ${maxBytes} bytes`)}`]
      : []),
    ...(pattern === ''
      ? []
      : [
          `if (${isNear}!${patternName(patterns, pattern)}.test(${value})) ${say('pattern', `does not match regex pattern \`${pattern}\``)}`,
        ]),
    ...(only.length === 0
      ? []
      : [
          `if (${isNear}!${listOf(only.map(quote))}.includes(${value})) ${say('in', `must be in list [${only.join(', ')}]`)}`,
        ]),
  ]
}

function patternName(patterns: Patterns, pattern: string): string {
  const name = patterns.get(pattern) ?? `pattern${patterns.size + 1}`
  patterns.set(pattern, name)
  return name
}

const listOf = (values: readonly (string | number)[]) => `[${values.join(', ')}]`

function bytesLines({ field, value, path, subject }: CheckedValue, rules: RulesOf<'bytes'>): Lines {
  allow(field, BytesRulesSchema, rules, ['len', 'max_len'])
  const { len, maxLen } = rules
  const say = (rule: string, text: string) => addCall(path, ruleWords(`bytes.${rule}`, text, field), subject)
  return [
    ...(len > 0n ? [`if (${value}.length !== ${len}) ${say('len', `must be ${len} bytes`)}`] : []),
    ...(maxLen > 0n ? [`if (${value}.length > ${maxLen}) ${say('max_len', `must be at most ${maxLen} bytes`)}`] : []),
  ]
}

function enumLines({ field, value, path, subject }: CheckedValue, rules: RulesOf<'enum'>): Lines {
  allow(field, EnumRulesSchema, rules, ['defined_only', 'in', 'not_in'])
  const say = (rule: string) => addCall(path, ruleWords(`enum.${rule}`, '', field), subject)
  const defined = field.enum?.values.map(({ number }) => number) ?? []
  const is = (numbers: readonly number[]) => `${listOf(numbers)}.includes(${value})`
  return [
    ...(rules.definedOnly ? [`if (!${is(defined)}) ${say('defined_only')}`] : []),
    ...(rules.in.length > 0 ? [`if (!${is(rules.in)}) ${say('in')}`] : []),
    ...(rules.notIn.length > 0 ? [`if (${is(rules.notIn)}) ${say('not_in')}`] : []),
  ]
}

const numberRules: Readonly<Record<string, DescMessage>> = {
  int32: Int32RulesSchema,
  uint32: UInt32RulesSchema,
  int64: Int64RulesSchema,
  uint64: UInt64RulesSchema,
  double: DoubleRulesSchema,
  float: FloatRulesSchema,
}

function numberLines({ field, value, path, subject }: CheckedValue, type: string, rules: Message & NumberRules): Lines {
  allow(field, numberRules[type] as DescMessage, rules, ['gt', 'gte', 'lt', 'lte', 'not_in', 'finite'])
  const range = rangeOf(rules)
  const { low, high } = range
  const isFloat = type === 'double' || type === 'float'
  const literal = (bound: number | bigint) => (typeof bound === 'bigint' ? `${bound}n` : `${bound}`)
  const isAbove = low && `${value} ${low.isExclusive ? '>' : '>='} ${literal(low.value)}`
  const isBelow = high && `${value} ${high.isExclusive ? '<' : '<='} ${literal(high.value)}`
  const within = [isAbove, isBelow].filter(Boolean).join(' && ')
  const isLow = low && `${value} ${low.isExclusive ? '<=' : '<'} ${literal(low.value)}`
  const code = isLow === undefined ? "'max'" : high || isFloat ? `${isLow} ? 'min' : 'max'` : "'min'"
  const excluded = addCall(
    path,
    ruleWords(`${type}.not_in`, `must not be in list [${rules.notIn.join(', ')}]`, field),
    subject,
  )
  const notFinite = addCall(path, ruleWords(`${type}.finite`, 'must be finite', field), subject)
  return [
    ...(within === '' ? [] : [`if (!(${within})) ${addCallWith(path, code, rangeWords(range), subject)}`]),
    ...(rules.notIn.length > 0
      ? [`if (${`[${rules.notIn.map(literal).join(', ')}]`}.includes(${value})) ${excluded}`]
      : []),
    ...('finite' in rules && rules.finite === true ? [`if (!Number.isFinite(${value})) ${notFinite}`] : []),
  ]
}
