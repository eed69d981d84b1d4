import {
  create,
  type DescField,
  type DescMessage,
  getOption,
  hasOption,
  type MessageShape,
  ScalarType,
} from '@bufbuild/protobuf'
import { field as rules } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'
import type { Fault } from '../errors.ts'
import { object$ as object } from '../gen/millhand/type/v1/access_pb.ts'
import { nearest } from '../nearest.ts'
import { allowedWords } from './enum-words.ts'
import { addFault, isFull, memberPath } from './faults.ts'
import {
  type Bound,
  type Read,
  readEnum,
  readJsonText,
  readList,
  readMap,
  readObject,
  readScalar,
  readTimestamp,
  tooDeep,
} from './values.ts'
import { isJsonText, isPlain, isStruct, isTimestamp } from './well-known-types.ts'

/**
 * A message, or what is wrong with what should have been one: at least one fault and at most 101, of which 100 are shown
 * (reading stops there, so a value with more costs no more), and as much of the message as could be read, for whoever looks for more faults. What has a fault is not in it: of a map the other
 * pairs are, of a list nothing.
 */
export type Reading<Message> =
  | { readonly ok: true; readonly message: Message }
  | { readonly ok: false; readonly faults: readonly [Fault, ...Fault[]]; readonly partial: Message | undefined }

/** What a reader does not know. */
export interface ReaderOptions {
  /** Fields of the message itself that come from elsewhere (the path), by their names in the proto. */
  readonly omit?: readonly string[]
}

/**
 * Compiles a reader of public JSON: contract, section 1. It takes what JSON.parse gives, of anybody, and never throws.
 * `null` counts as absent, except for fields that `buf.validate` requires. It checks types and what is required; the
 * other rules of `buf.validate` are the service's. Throws here for a message that has no public JSON.
 */
export function jsonReader<Desc extends DescMessage>(
  schema: Desc,
  { omit = [] }: ReaderOptions = {},
): (value: unknown) => Reading<MessageShape<Desc>> {
  const read = readerOf(schema, omit)
  return value => {
    const faults: Fault[] = []
    const message = read(value, '', faults, 0) as MessageShape<Desc> | undefined
    const [first, ...others] = faults
    if (first !== undefined) return { ok: false, faults: [first, ...others], partial: message }
    return { ok: true, message: message as MessageShape<Desc> }
  }
}

function readerOf(schema: DescMessage, omit: readonly string[]): Read {
  try {
    return omit.length === 0 ? readMessage(schema) : compile(schema, new Set(omit))
  } catch (error) {
    // Some may read the message that has no JSON.
    compiled.clear()
    throw error
  }
}

/** The readers of whole messages, most of which are part of others. */
const compiled = new Map<DescMessage, Read>()

const readMessage = (desc: DescMessage): Read => compiled.get(desc) ?? compile(desc, new Set())

/** Whether a field must be in the request. */
export function isRequired(field: DescField): boolean {
  return hasOption(field, rules) && getOption(field, rules).required
}

interface Member {
  readonly name: string
  /** Its name in the message: the oneof's where it belongs to one. */
  readonly local: string
  /** Its name within the oneof. */
  readonly chosen: string | undefined
  readonly required: boolean
  readonly read: Read
}

function compile(desc: DescMessage, omit: ReadonlySet<string>): Read {
  if (!isPlain(desc)) throw new Error(`${desc.typeName} has no public JSON`)
  const members = new Map<string, Member>()
  const required: string[] = []
  const kind = hasOption(desc, object) ? getOption(desc, object) : undefined

  const read: Read = (value, path, faults, depth) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return void addFault(faults, path, 'wrong_type', 'must be a JSON object')
    }
    if (tooDeep(path, faults, depth)) return undefined
    const source = value as Readonly<Record<string, unknown>>
    const message = create(desc) as unknown as Record<string, unknown>
    for (const name in source) {
      if (isFull(faults)) return message
      const given = source[name]
      const member = members.get(name)
      if (member === undefined) {
        if (name !== 'object' || kind === undefined) {
          const absent = [...members.keys()].filter(known => !Object.hasOwn(source, known))
          const near = nearest(name, absent)
          const hint = near === undefined ? '' : `, but \`${memberPath(path, near)}\` is`
          addFault(faults, memberPath(path, name), 'unknown_parameter', `is not a parameter${hint}`)
        } else if (given !== kind) {
          addFault(faults, memberPath(path, name), 'not_in', `must be ${kind}`)
        }
      } else if (given !== null || member.required) {
        const understood = member.read(given, memberPath(path, name), faults, depth + 1)
        if (understood === undefined) continue
        if (member.chosen === undefined) message[member.local] = understood
        else choose(message, member, member.chosen, understood, path, faults)
      }
    }
    for (const name of required) {
      if (!Object.hasOwn(source, name)) addFault(faults, memberPath(path, name), 'missing_parameter', 'is required')
    }
    return message
  }

  if (omit.size === 0) compiled.set(desc, read)
  for (const field of desc.fields) {
    if (omit.has(field.name)) continue
    const local = field.oneof?.localName ?? field.localName
    const chosen = field.oneof === undefined ? undefined : field.localName
    const member = { name: field.name, local, chosen, required: isRequired(field), read: readField(field) }
    members.set(field.name, member)
    if (member.required) required.push(field.name)
  }
  return read
}

function choose(
  message: Record<string, unknown>,
  member: Member,
  chosen: string,
  value: unknown,
  path: string,
  faults: Fault[],
): void {
  const before = message[member.local] as { case?: string } | undefined
  if (before?.case === undefined) message[member.local] = { case: chosen, value }
  else addFault(faults, memberPath(path, member.name), 'conflicting', 'excludes another parameter that is set as well')
}

function readField(field: DescField): Read {
  const element = readElement(field)
  switch (field.fieldKind) {
    case 'list':
      return readList(isJsonText(field) ? readJsonText : element, boundOf(field))
    case 'map':
      if (field.mapKey !== ScalarType.STRING) throw new Error(`${field} has keys that are no strings`)
      return readMap(element, boundOf(field))
    default:
      return isJsonText(field) ? readJsonText : element
  }
}

/** The bound of a list or a map is checked before any of its entries is read. */
function boundOf(field: DescField): Bound {
  const most = mostEntries(field) ?? Number.POSITIVE_INFINITY
  return { most, says: tooManyEntries(field, most) }
}

/** Reads a singular field's value, a list's item or a map's value. */
function readElement(field: DescField): Read {
  const { scalar, enum: words, message } = field
  if (scalar !== undefined) return readScalar(scalar)
  if (words !== undefined) return readEnum(words, allowedWords(field))
  if (isTimestamp(message)) return readTimestamp
  if (isStruct(message)) return readObject
  return readMessage(message)
}

/** Of a list whose items must differ and whose rules set no bound: more than any enum has values. */
const MOST_UNIQUE = 100

/** The most entries that a list or a map may have by its `buf.validate` rules; undefined where they set no bound. */
export function mostEntries(field: DescField): number | undefined {
  if (!hasOption(field, rules)) return undefined
  const { type } = getOption(field, rules)
  const most = type.case === 'repeated' ? type.value.maxItems : type.case === 'map' ? type.value.maxPairs : 0n
  // Zero is also what a rule that is not set reads as; no field of the contract must be empty.
  if (most !== 0n) return Number(most)
  return type.case === 'repeated' && type.value.unique ? MOST_UNIQUE : undefined
}

/** What is wrong with a list or a map of more entries, in the words of the rule itself. */
export const tooManyEntries = ({ fieldKind }: DescField, most: number): string =>
  fieldKind === 'map' ? `must have at most ${most} entries` : `must contain no more than ${most} item(s)`
