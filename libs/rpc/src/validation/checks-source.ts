/** The source of `gen/checks.ts`: a function for each message of a request that has rules. */
import { type DescField, type DescMessage, type DescService, getOption, hasOption } from '@bufbuild/protobuf'
import {
  type FieldRules,
  FieldRulesSchema,
  MessageRulesSchema,
  message as messageRules,
  OneofRulesSchema,
  oneof as oneofRules,
  field as rulesOption,
} from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'
import { accessOf, isSet, isUnset } from './field-presence.ts'
import { allow } from './known-rules.ts'
import { noneOf, requiredWords, severalOf } from './rule-words.ts'
import { addCall, block, type Lines, otherwise, quote } from './source-lines.ts'
import { listLines, mapLines, type Patterns, valueLines } from './value-checks.ts'

/** @throws Error for a rule that no code is made of, so that none is left out */
export function checksSource(services: readonly DescService[]): string {
  const messages = messagesWithin(services.flatMap(({ methods }) => methods.map(({ input }) => input)))
  const withRules = messages.filter(message => hasRules(message))
  const patterns: Patterns = new Map()
  const functions = withRules.map(message => functionSource(message, patterns))
  const helpers = [
    'add',
    'each',
    'entryPath',
    'hasRepeats',
    'inside',
    'isEnough',
    'isLonger',
    'isOverBytes',
    'lengthOf',
  ]
  const used = helpers.filter(name => functions.some(source => source.includes(`${name}(`)))
  return `${[
    '// @generated from the `buf.validate` rules of the contract by `pnpm generate`. Do not edit.',
    [...new Set(withRules.map(importOf))].sort().join('\n'),
    `import { ${used.join(', ')}, type BrokenRule, type Check } from '../validation/broken-rule.ts'`,
    [...patterns].map(([pattern, name]) => `const ${name} = ${new RegExp(pattern, 'u')}`).join('\n'),
    ...functions,
    'function nothing(): void {}',
    '/** The check of each message of a request, by its full name. */',
    block('export const checks: ReadonlyMap<string, Check> = new Map<string, Check>([', tableOf(messages), '])').join(
      '\n',
    ),
  ].join('\n\n')}\n`
}

/** All messages of ours that are in these, each once, sorted by name. */
function messagesWithin(inputs: readonly DescMessage[]): DescMessage[] {
  const found = new Set<DescMessage>()
  const add = (message: DescMessage | undefined) => {
    if (message === undefined || found.has(message) || !isOurs(message)) return
    found.add(message)
    for (const field of message.fields) add(field.message)
  }
  for (const input of inputs) add(input)
  return [...found].sort((a, b) => (a.typeName < b.typeName ? -1 : 1))
}

const tableOf = (messages: readonly DescMessage[]): Lines =>
  messages.map(message => `['${message.typeName}', ${hasRules(message) ? nameOf(message) : 'nothing'}],`)

/** Whether a message, or one within it, has a rule, known or not. */
function hasRules(message: DescMessage, around: readonly DescMessage[] = []): boolean {
  if (around.includes(message)) return false
  return (
    hasOption(message, messageRules) ||
    message.oneofs.some(oneof => hasOption(oneof, oneofRules)) ||
    message.fields.some(
      field =>
        hasOption(field, rulesOption) ||
        (field.message && isOurs(field.message) && hasRules(field.message, [...around, message])),
    )
  )
}

/** The rules of well-known messages are on the fields that hold them. */
const isOurs = ({ typeName }: DescMessage) => !typeName.startsWith('google.protobuf.')

function functionSource(message: DescMessage, patterns: Patterns): string {
  const rules = getOption(message, messageRules)
  allow(message, MessageRulesSchema, rules, ['oneof'])
  const inChoice = new Set(rules.oneof.flatMap(({ fields }) => fields))
  const body = [
    ...message.fields.flatMap(field => fieldLines(field, inChoice.has(field.name), patterns)),
    ...rules.oneof.flatMap(({ fields, required }) => choiceLines(message, fields, required)),
    ...message.oneofs.flatMap(oneof => {
      const { required } = getOption(oneof, oneofRules)
      allow(message, OneofRulesSchema, getOption(oneof, oneofRules), ['required'])
      if (!required) return []
      return [`if (m.${oneof.localName}.case === undefined) ${addCall(quote(oneof.name), requiredWords(undefined))}`]
    }),
  ]
  return block(`function ${nameOf(message)}(m: ${typeOf(message)}, broken: BrokenRule[]): void {`, body, '}').join('\n')
}

/** `mayBeAbsent`: it is one of several fields of which one is needed, so its own rules hold only where it is set. */
function fieldLines(field: DescField, mayBeAbsent: boolean, patterns: Patterns): Lines {
  const rules = getOption(field, rulesOption)
  allow(field, FieldRulesSchema, rules, ['required', rules.type.case ?? ''])
  const lines = contentLines(field, rules, patterns)
  if (rules.required) {
    const missing = addCall(quote(field.name), requiredWords(field))
    return [`if (${isUnset(field)}) ${missing}`, ...otherwise(lines)]
  }
  const isAlwaysThere = field.oneof === undefined && !mayBeAbsent && isImplicit(field)
  return lines.length === 0 || isAlwaysThere ? lines : block(`if (${isSet(field)}) {`, lines, '}')
}

/** Whether a field that is not set reads as the zero value, on which its rules hold. */
const isImplicit = (field: DescField) => field.fieldKind !== 'message' && !field.proto.proto3Optional

function contentLines(field: DescField, rules: FieldRules, patterns: Patterns): Lines {
  const value = accessOf(field)
  const path = quote(field.name)
  switch (field.fieldKind) {
    case 'message':
      if (rules.type.case !== undefined) throw new Error(`${field}: no code for rules of ${field.message.typeName}`)
      return isOurs(field.message) && hasRules(field.message)
        ? [`inside(${value}, ${path}, ${nameOf(field.message)}, broken)`]
        : []
    case 'list': {
      const { message } = field
      const items =
        message && isOurs(message) && hasRules(message)
          ? `each(${value}, ${path}, ${nameOf(message)}, broken)`
          : undefined
      return listLines(field, rules, value, patterns, items)
    }
    case 'map':
      return mapLines(field, rules, value, patterns)
    default:
      return valueLines({ field, rules, value, path, patterns, isNotEmpty: rules.required })
  }
}

/** Exactly one of several fields, or at most one. */
function choiceLines(message: DescMessage, names: readonly string[], isRequired: boolean): Lines {
  const fields = names.map(name => {
    const field = message.fields.find(each => each.name === name)
    if (field === undefined) throw new Error(`${message} has no field ${name}`)
    return field
  })
  const number = fields.map(field => `Number(${isSet(field)})`).join(' + ')
  const none = addCall(quote(names[0] ?? ''), noneOf(names))
  const several = addCall(quote(names.at(-1) ?? ''), severalOf(names), 'message')
  return [`if (${number} > 1) ${several}`, ...(isRequired ? [`if (${number} === 0) ${none}`] : [])]
}

/** `millhand.lease.v1.FinishRequest` is `leaseFinishRequest`. */
const nameOf = ({ typeName }: DescMessage): string => {
  const [first = '', ...words] = typeName.split('.').filter(word => word !== 'millhand' && !/^v\d/.test(word))
  return first + words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/** The namespace of the file that has the message's type. */
const fileOf = ({ file }: DescMessage): string => file.name.replace(/^millhand\//, '').replaceAll(/\W/g, '_')

const typeOf = (message: DescMessage): string =>
  `${fileOf(message)}.${message.typeName.slice(message.file.proto.package.length + 1).replaceAll('.', '_')}`

const importOf = (message: DescMessage): string =>
  `import type * as ${fileOf(message)} from '@millhand/api/gen/${message.file.name}_pb.ts'`
