/** What is wrong with a field of a request, in the words of REST. */
import { type DescField, type DescMessage, getOption, type Message, type MessageShape } from '@bufbuild/protobuf'
import { type Path, type ReflectList, type ReflectMap, type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect'
import type { Violation } from '@bufbuild/protovalidate'
import {
  FieldRulesSchema,
  message as messageRules,
  field as rules,
} from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'
import { allowedWords, type Fault, shownPath } from '@millhand/api'

/** The violation as callers of REST see it: path and enum values in their spelling, a short code, a sentence. */
export function faultOf<Desc extends DescMessage>(
  violation: Violation,
  request: MessageShape<Desc>,
  desc: Desc,
): Fault {
  if (violation.ruleId === 'message.oneof') return choiceFault(violation, desc)
  const param = shownPath(paramOf(violation.field))
  const subject = `${violation.forKey ? 'The key in ' : ''}\`${param}\``
  const rule = violation.ruleId.slice(violation.ruleId.lastIndexOf('.') + 1)
  const field = violation.field.findLast(step => step.kind === 'field')

  if (rule === 'required')
    return { param, code: 'missing_parameter', message: `${subject} is required${choices(field)}.` }
  if (field !== undefined && violation.ruleId.startsWith('enum.')) {
    return { param, code: 'not_in', message: `${subject} must be one of ${allowedWords(field).join(', ')}.` }
  }
  const range = rangeOf(violation, field)
  if (range !== undefined) {
    const value = valueAt(desc, request, violation.field) as number
    const below = range.low !== undefined && (range.low.exclusive ? value <= range.low.value : value < range.low.value)
    return { param, code: below ? 'min' : 'max', message: `${subject} must be ${inWords(range)}.` }
  }
  return { param, code: codes[rule] ?? rule, message: `${subject} ${inPlainWords(violation.message)}.` }
}

/** None or several of the fields of a request of which exactly one is needed. The violation has their names in its words. */
function choiceFault({ message }: Violation, desc: DescMessage): Fault {
  const { oneof } = getOption(desc, messageRules)
  const { fields } = oneof.find(rule => message.includes(rule.fields.join(', '))) ?? { fields: [] }
  const named = (words: string) => fields.map(field => `\`${field}\``).join(words)
  if (message.startsWith('one of')) {
    return { param: fields[0] ?? '', code: 'missing_parameter', message: `${named(' or ')} is required.` }
  }
  return { param: fields.at(-1) ?? '', code: 'not_allowed', message: `Only one of ${named(' and ')} can be given.` }
}

const inPlainWords = (message: string) =>
  message
    .replace(/^(repeated )?value /, '')
    .replace(/^map must be/, 'must have')
    .replace('must be at least 1 characters', 'must not be empty')

/** Codes of rules whose own names would say less. A rule that is not here goes by its name. */
const codes: Record<string, string> = {
  in: 'not_in',
  not_in: 'not_allowed',
  max_bytes: 'too_large',
  min_bytes: 'too_small',
  min_items: 'too_few',
  max_items: 'too_many',
  min_pairs: 'too_few',
  max_pairs: 'too_many',
  unique: 'not_unique',
}

/** `tasks[3].model`, `metadata.key`: as a reader of JSON names them; `metadata[]` for the empty key. */
function paramOf(path: Path): string {
  let text = ''
  for (const step of path) {
    if (step.kind === 'list_sub') text += `[${step.index}]`
    else if (step.kind === 'map_sub') text += step.key === '' ? '[]' : `.${step.key}`
    else text += `${text === '' ? '' : '.'}${step.name}`
  }
  return text
}

const choices = (field: DescField | undefined) => {
  const words = field === undefined ? [] : allowedWords(field)
  return words.length === 0 ? '' : `: one of ${words.join(', ')}`
}

interface Bound {
  readonly value: number | bigint
  readonly exclusive: boolean
}

interface Range {
  readonly low?: Bound
  readonly high?: Bound
}

/** The range that a number has to be in, where that is what was violated. */
function rangeOf(violation: Violation, field: DescField | undefined): Range | undefined {
  if (field === undefined || !/\.(gte?|lte?|gte?_lte?)$/.test(violation.ruleId)) return undefined
  const numeric = valueAt(FieldRulesSchema, getOption(field, rules), violation.rule.slice(0, -1)) as ReflectMessage
  const { greaterThan, lessThan } = numeric.message as Message & NumberRules
  return {
    ...(greaterThan?.value !== undefined && {
      low: { value: greaterThan.value, exclusive: greaterThan.case === 'gt' },
    }),
    ...(lessThan?.value !== undefined && { high: { value: lessThan.value, exclusive: lessThan.case === 'lt' } }),
  }
}

/** What the rules of all number types have in common. */
interface NumberRules {
  readonly greaterThan?: { readonly case?: string; readonly value?: number | bigint }
  readonly lessThan?: { readonly case?: string; readonly value?: number | bigint }
}

function inWords({ low, high }: Range): string {
  if (low && high && !low.exclusive && !high.exclusive) return `from ${low.value} to ${high.value}`
  const above = low && `${low.exclusive ? 'more than' : 'at least'} ${low.value}`
  const below = high && `${high.exclusive ? 'less than' : 'at most'} ${high.value}`
  return [above, below].filter(Boolean).join(' and ')
}

function valueAt<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>, path: Path): unknown {
  let at: unknown = reflect(desc, message)
  for (const step of path) {
    if (step.kind === 'field') at = (at as ReflectMessage).get(step)
    else if (step.kind === 'list_sub') at = (at as ReflectList).get(step.index)
    else if (step.kind === 'map_sub') at = (at as ReflectMap).get(step.key)
  }
  return at
}
