/** What is wrong with the `input` of a request, by the input schema of its kind. */
import { createRequire } from 'node:module'
import { type Fault, maxFaults, shownPath } from '@millhand/api'
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import type { PublicKind } from './employee.ts'

export type InputFaults = (input: unknown, bytes: number) => Fault[]

/**
 * Every fault is named of an input of at most so many bytes of JSON and so many values, of a larger one the first. The
 * validator can stop at the first fault or at none, and each fault costs time and memory.
 */
const MOST_BYTES_FOR_ALL = 65_536
const MOST_VALUES_FOR_ALL = 2_000

/**
 * The schema is compiled when the first input comes, some 20 ms: to compile all of them was a third of a start. Tests
 * compile every schema of the catalogue.
 */
export function inputFaults({ input_schema }: Pick<PublicKind, 'input_schema'>): InputFaults {
  const first = once(() => compiler(false).compile(input_schema))
  const all = once(() => compiler(true).compile(input_schema))
  return (input, bytes) => {
    if (first()(input)) return []
    const isSmall = bytes <= MOST_BYTES_FOR_ALL && valuesLeft(input, MOST_VALUES_FOR_ALL) > 0
    return faultsOf(isSmall ? all() : first(), input)
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** What is left of a number of values after those of the input, at every level; counting stops at none. */
function valuesLeft(value: unknown, left: number): number {
  if (typeof value !== 'object' || value === null) return left - 1
  let rest = left - 1
  for (const key in value) {
    if (rest <= 0) return 0
    rest = valuesLeft((value as Readonly<Record<string, unknown>>)[key], rest)
  }
  return rest
}

/** Ajv is loaded with the first schema: it is a hundred modules. */
function compiler(allErrors: boolean): Ajv2020 {
  const require = createRequire(import.meta.url)
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js')
  const addFormats = require('ajv-formats') as typeof import('ajv-formats')
  const ajv = new Ajv2020({ strict: true, allErrors, allowUnionTypes: true, verbose: true })
  addFormats.default(ajv)
  return ajv
}

function faultsOf(validate: ValidateFunction, input: unknown): Fault[] {
  validate(input)
  const errors = validate.errors ?? []
  const own = errors.filter(({ keyword }) => !OF_OTHERS.has(keyword))
  const faults = new Map<string, Fault>()
  for (const error of own.length > 0 ? own : errors.slice(0, 1)) {
    if (faults.size > maxFaults) break
    const fault = toFault(error)
    faults.set(`${fault.param} ${fault.message}`, fault)
  }
  return [...faults.values()]
}

/** They only say that others below have failed. */
const OF_OTHERS: ReadonlySet<string> = new Set(['if', 'anyOf', 'oneOf', 'allOf'])

function toFault(error: ErrorObject): Fault {
  const { instancePath, keyword, params, parentSchema, message = 'is not as its schema says' } = error
  const at = shownPath(pathOf(instancePath))
  if (keyword === 'required') {
    const param = `${at}.${params.missingProperty}`
    return { param, code: 'missing_parameter', message: `\`${param}\` is required.` }
  }
  if (keyword === 'dependentRequired') {
    const param = `${at}.${params.missingProperty}`
    const message = `\`${param}\` is required where \`${at}.${params.property}\` is given.`
    return { param, code: 'missing_parameter', message }
  }
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    const param = shownPath(`${at}.${params.additionalProperty ?? params.unevaluatedProperty}`)
    return { param, code: 'unknown_parameter', message: `\`${param}\` is not known${knownBeside(at, parentSchema)}.` }
  }
  const more = keyword === 'enum' ? `: ${(params.allowedValues as unknown[]).join(', ')}` : ''
  return { param: at, code: CODES[keyword] ?? keyword, message: `\`${at}\` ${message}${more}.` }
}

/** Who mistook a name finds the right one among these. */
function knownBeside(at: string, schema: ErrorObject['parentSchema']): string {
  const names = Object.keys(schema?.properties ?? {})
  return names.length > 0 ? `; \`${at}\` can have ${names.join(', ')}` : ''
}

const CODES: Readonly<Record<string, string>> = {
  type: 'wrong_type',
  enum: 'not_in',
  const: 'not_in',
  minimum: 'min',
  maximum: 'max',
  exclusiveMinimum: 'min',
  exclusiveMaximum: 'max',
  minLength: 'min_len',
  maxLength: 'max_len',
  minItems: 'too_few',
  maxItems: 'too_many',
  uniqueItems: 'not_unique',
}

/** `/texts/3/word` as `input.texts[3].word`. */
function pathOf(pointer: string): string {
  const parts = pointer.split('/').slice(1)
  return parts.reduce((path, part) => {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    return /^\d+$/.test(name) ? `${path}[${name}]` : `${path}.${name}`
  }, 'input')
}
