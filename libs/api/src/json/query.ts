import { type DescField, type DescMessage, type MessageShape, ScalarType } from '@bufbuild/protobuf'
import type { Fault } from '../errors.ts'
import { addFault } from './faults.ts'
import { jsonReader, type ReaderOptions, type Reading } from './reader.ts'
import { isTimestamp } from './well-known-types.ts'

/**
 * Compiles a reader of a query's decoded pairs: lists by commas (an empty text is an
 * empty list) or by repeating the key, maps as `metadata[key]=value`.
 * A scalar given twice is a fault. Never throws on a query. Throws here for a field that has no form in a query.
 */
export function queryReader<Desc extends DescMessage>(
  schema: Desc,
  options: ReaderOptions = {},
): (params: Iterable<readonly [string, string]>) => Reading<MessageShape<Desc>> {
  const read = jsonReader(schema, options)
  const omit = new Set(options.omit)
  const fields = new Map(schema.fields.filter(({ name }) => !omit.has(name)).map(field => [field.name, collect(field)]))

  return params => {
    const faults: Fault[] = []
    // Without a prototype, `__proto__` is a key like any other.
    const value: Values = Object.create(null)
    for (const [key, text] of params) {
      const bracket = key.endsWith(']') ? key.indexOf('[') : -1
      const name = bracket > 0 ? key.slice(0, bracket) : key
      const field = fields.get(name)
      if (field === undefined || (bracket > 0 && !field.isMap)) value[key] = text
      else if (bracket <= 0 && field.isMap) addFault(faults, name, 'wrong_type', `is written as ${name}[key]=value`)
      else field.add(value, name, bracket > 0 ? key.slice(bracket + 1, -1) : name, text, faults)
    }
    const reading = read(value)
    const [first, ...others] = reading.ok ? faults : [...faults, ...reading.faults]
    return first === undefined
      ? reading
      : { ok: false, faults: [first, ...others], partial: reading.ok ? reading.message : reading.partial }
  }
}

type Values = Record<string, unknown>

/** How a field's texts are collected into one JSON value. */
interface Collect {
  readonly isMap: boolean
  readonly add: (value: Values, name: string, key: string, text: string, faults: Fault[]) => void
}

function collect(field: DescField): Collect {
  const parse = parser(field)
  switch (field.fieldKind) {
    case 'list':
      return {
        isMap: false,
        add: (value, name, _key, text) => {
          value[name] ??= []
          for (const item of text.split(',')) (value[name] as unknown[]).push(parse(item))
        },
      }
    case 'map':
      return {
        isMap: true,
        add: (value, name, key, text, faults) => {
          value[name] ??= Object.create(null)
          addOnce(value[name] as Values, key, `${name}[${key}]`, parse(text), faults)
        },
      }
    default:
      return {
        isMap: false,
        add: (value, name, _key, text, faults) => addOnce(value, name, name, parse(text), faults),
      }
  }
}

function addOnce(value: Values, key: string, path: string, parsed: unknown, faults: Fault[]): void {
  if (key in value) addFault(faults, path, 'repeated', 'is there more than once')
  else value[key] = parsed
}

/** Text to what JSON would have; text that fits nothing stays text, and the reader of JSON says what is wrong. */
function parser(field: DescField): (text: string) => unknown {
  if (field.message !== undefined && !isTimestamp(field.message)) throw new Error(`${field} has no form in a query`)
  switch (field.scalar) {
    case undefined:
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return text => text
    case ScalarType.BOOL:
      return text => (text === 'true' ? true : text === 'false' ? false : text)
    default:
      return number
  }
}

function number(text: string): unknown {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return text
  const value = Number(text)
  // The reader takes integers of 64 bits as text where a number would not be exact.
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? text : value
}
