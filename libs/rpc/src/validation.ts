/** Checks requests against the `buf.validate` rules of the contract. */
import type { DescField, Message } from '@bufbuild/protobuf'
import { create, type DescMessage, getOption, type MessageShape } from '@bufbuild/protobuf'
import { createValidator } from '@bufbuild/protovalidate'
import { field as rules } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'
import { type Fault, failIf, isFull, isWithin, maxFaults, mostEntries, shownPath, tooManyEntries } from '@millhand/api'
import { faultOf } from './field-violation.ts'

/**
 * Patterns are the contract's own, none is a caller's, so V8's engine matches them: RE2 in JavaScript, the default, made
 * 4,300 calls a task. A test holds each pattern to a time proportional to the text.
 */
const validator = createValidator({ regexMatch: (pattern, text) => compiled(pattern).test(text) })

const patterns = new Map<string, RegExp>()

function compiled(pattern: string): RegExp {
  const known = patterns.get(pattern) ?? new RegExp(pattern, 'u')
  patterns.set(pattern, known)
  return known
}

/** Compiles the rules of a message. @throws Error when one does not compile */
export function compile(desc: DescMessage): void {
  const result = validator.validate(desc, create(desc))
  if (result.kind === 'error') throw result.error
}

/** @throws ConnectError that names every fault that an answer can show, not the first */
export function check<Desc extends DescMessage>(desc: Desc, request: MessageShape<Desc>): void {
  failIf(violations(desc, request))
}

/**
 * In what a message breaks the rules of the contract: at most as many faults as an answer shows, and one more. What is
 * over a bound of size is one fault, and none of the other rules is checked on it, so the cost has a bound too.
 */
export function violations<Desc extends DescMessage>(desc: Desc, request: MessageShape<Desc>): readonly Fault[] {
  const oversize: Fault[] = []
  const rest = withoutOversize(desc, request, oversize)
  const result = validator.validate(desc, rest)
  if (result.kind === 'valid') return oversize
  if (result.kind === 'error') throw result.error
  const broken = result.violations.slice(0, maxFaults + 1).map(violation => faultOf(violation, rest, desc))
  return [...oversize, ...broken.filter(({ param }) => !oversize.some(fault => isWithin(param, fault.param)))]
}

/**
 * Adds a fault for every field over its bound, and gives the request without those fields. The validator looks at each
 * entry of what it is given, and runs patterns over each text, so it must not be given these.
 */
function withoutOversize<Request extends Message>(desc: DescMessage, request: Request, faults: Fault[]): Request {
  return boundsOf(desc).reduce((rest, bound) => bound(rest, '', faults), request as Message) as Request
}

/** Gives the message without the field where that is over its bound, and the message itself where it is not. */
type Bound = (message: Message, path: string, faults: Fault[]) => Message

const boundsByMessage = new WeakMap<DescMessage, readonly Bound[]>()

function boundsOf(desc: DescMessage): readonly Bound[] {
  const known = boundsByMessage.get(desc)
  if (known !== undefined) return known
  const bounds: Bound[] = []
  boundsByMessage.set(desc, bounds) // Before its fields are looked at: a message may be part of itself.
  for (const field of desc.fields) bounds.push(...boundsOn(field))
  return bounds
}

function boundsOn(field: DescField): Bound[] {
  const { message } = field
  const own = field.fieldKind === 'list' || field.fieldKind === 'map' ? entriesBound(field) : textBound(field)
  if (message === undefined || message.typeName.startsWith('google.protobuf.')) return own
  return [...own, withinBound(field, message)]
}

function entriesBound(field: DescField): Bound[] {
  const most = mostEntries(field)
  if (most === undefined) return []
  const isOver = (entries: object) => (Array.isArray(entries) ? entries : Object.keys(entries)).length > most
  const empty = field.fieldKind === 'map' ? {} : []
  return [cleared(field, isOver, empty, 'too_many', tooManyEntries(field, most))]
}

/** A character has at most two units of UTF-16, and a unit has at least one byte. What is closer the rule itself counts. */
function textBound(field: DescField): Bound[] {
  const { type } = getOption(field, rules)
  if (type.case !== 'string') return []
  const { maxLen, maxBytes } = type.value
  const isOver = (most: bigint) => (text: string) => text.length > most
  return [
    ...(maxLen > 0n
      ? [cleared(field, isOver(2n * maxLen), '', 'max_len', `must be at most ${maxLen} characters`)]
      : []),
    ...(maxBytes > 0n ? [cleared(field, isOver(maxBytes), '', 'too_large', `must be at most ${maxBytes} bytes`)] : []),
  ]
}

function cleared<Value extends object | string>(
  field: DescField,
  isOver: (value: Value) => boolean,
  empty: Value,
  code: string,
  says: string,
): Bound {
  return (message, path, faults) => {
    const value = fieldValue(message, field) as Value | undefined
    if (value === undefined || !isOver(value) || isFull(faults)) return message
    const param = shownPath(paramOf(path, field))
    faults.push({ param, code, message: `\`${param}\` ${says}.` })
    return withValue(message, field, empty)
  }
}

/** The bounds of the messages within a field. */
function withinBound(field: DescField, desc: DescMessage): Bound {
  const within = (message: Message, path: string, faults: Fault[]) =>
    boundsOf(desc).reduce((rest, bound) => bound(rest, path, faults), message)
  return (message, path, faults) => {
    const value = fieldValue(message, field)
    if (value === undefined) return message
    const at = paramOf(path, field)
    if (field.fieldKind === 'list') {
      const items = value as readonly Message[]
      const rest = items.map((item, index) => within(item, `${at}[${index}]`, faults))
      return rest.every((item, index) => item === items[index]) ? message : withValue(message, field, rest)
    }
    if (field.fieldKind === 'map') return message // No request has a map of messages.
    const rest = within(value as Message, at, faults)
    return rest === value ? message : withValue(message, field, rest)
  }
}

type Values = Readonly<Record<string, unknown>>

function fieldValue(message: Message, { oneof, localName }: DescField): unknown {
  const values = message as unknown as Values
  if (oneof === undefined) return values[localName]
  const chosen = values[oneof.localName] as { readonly case?: string; readonly value?: unknown }
  return chosen.case === localName ? chosen.value : undefined
}

/** A copy: the messages of a call belong to its caller too. */
function withValue(message: Message, { oneof, localName }: DescField, value: unknown): Message {
  const { localName: name } = oneof ?? { localName }
  return { ...message, [name]: oneof === undefined ? value : { case: localName, value } }
}

const paramOf = (path: string, { name }: DescField) => (path === '' ? name : `${path}.${name}`)
