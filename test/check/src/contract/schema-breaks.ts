/** What of a JSON Schema breaks those who rely on an earlier one. */

/** A part of a JSON document. */
export type Json = Readonly<Record<string, unknown>>

export interface Compared {
  /** The documents that references lead into. */
  readonly released: Json
  readonly now: Json
  /** Whether callers send what it describes, or are sent it. */
  readonly isSent: boolean
}

/** Bounds that may be widened for what is sent, and those that may be lowered for that. */
const UPPER = ['maxLength', 'maximum', 'maxItems', 'maxProperties']
const LOWER = ['minLength', 'minimum', 'minItems', 'minProperties']
/** What may not change either way. */
const FIXED = ['type', 'const', 'format', 'pattern', 'contentMediaType', 'uniqueItems']
const ALTERNATIVES = ['oneOf', 'anyOf', 'allOf']

/** In words, each with its place below `path`. */
export function schemaBreaks(was: unknown, is: unknown, compared: Compared, path: string): string[] {
  const seen = new Set<string>()
  return breaks(was, is, path)

  function breaks(was: unknown, now: unknown, path: string): string[] {
    const is = sameOf(was, now)
    const references = `${refOf(was)} ${refOf(is)}`
    if (references !== ' ') {
      if (seen.has(references)) return []
      seen.add(references)
    }
    const before = resolved(was, compared.released)
    const after = resolved(is, compared.now)
    return [
      ...FIXED.filter(name => !isSame(before[name], after[name])).map(name => `${path}: another \`${name}\``),
      ...(compared.isSent ? narrowed(before, after, path) : widened(before, after, path)),
      ...below(before, after, path),
    ]
  }

  function below(before: Json, after: Json, path: string): string[] {
    const found: string[] = []
    const fields = asJson(after.properties)
    for (const [name, field] of Object.entries(asJson(before.properties))) {
      if (name in fields) found.push(...breaks(field, fields[name], `${path}.${name}`))
      else found.push(`${path}.${name}: is gone`)
    }
    for (const name of ['items', 'additionalProperties', 'propertyNames', 'contentSchema']) {
      const [one, other] = [before[name], after[name]]
      if (typeof one === 'object' && typeof other === 'object') found.push(...breaks(one, other, `${path}.${name}`))
      else if (!isSame(one, other)) found.push(`${path}: another \`${name}\``)
    }
    for (const name of ALTERNATIVES) {
      const [some, others] = [asList(before[name]), asList(after[name])]
      const isFewer = others.length < some.length
      if (isFewer || (others.length > some.length && !compared.isSent)) found.push(`${path}: another \`${name}\``)
      else found.push(...some.flatMap((each, at) => breaks(each, others[at], `${path}.${name}[${at}]`)))
    }
    return found
  }
}

/**
 * What a schema is compared with. It may have got alternatives behind it, for what could not be asked for before: who
 * asks for nothing new is answered by the first.
 */
function sameOf(was: unknown, is: unknown): unknown {
  const [first] = asList(asJson(is).anyOf)
  return first === undefined || asJson(was).anyOf !== undefined ? is : first
}

/** Of what callers send: what they could send and can't any more. */
function narrowed(before: Json, after: Json, path: string): string[] {
  return [
    ...without(after.required, before.required).map(name => `${path}.${name}: is needed now`),
    ...['enum', 'x-extensible-enum'].flatMap(name =>
      after[name] === undefined ? [] : valuesGone(before, after, name, path),
    ),
    ...UPPER.filter(name => bound(after[name], Infinity) < bound(before[name], Infinity)).map(narrower(path)),
    ...LOWER.filter(name => bound(after[name], -Infinity) > bound(before[name], -Infinity)).map(narrower(path)),
  ]
}

function valuesGone(before: Json, after: Json, name: string, path: string): string[] {
  if (before[name] === undefined) return [`${path}: only some values are left`]
  return without(before[name], after[name]).map(value => `${path}: the value ${value} is gone`)
}

const narrower = (path: string) => (name: string) => `${path}: a narrower \`${name}\``

/** Of what callers are sent: what they could rely on and can't any more. Values that may be added are no break. */
function widened(before: Json, after: Json, path: string): string[] {
  return [
    ...without(before.required, after.required).map(name => `${path}.${name}: may be absent now`),
    ...(before.enum === undefined ? [] : without(after.enum, before.enum)).map(
      value => `${path}: ${value} is a new value`,
    ),
    ...(before.enum !== undefined && after.enum === undefined ? [`${path}: any value may come now`] : []),
  ]
}

/** What a reference leads to, in its document; a schema that is none. */
export function resolved(schema: unknown, document: Json): Json {
  const ref = refOf(schema)
  if (ref === '') return asJson(schema)
  const found = ref
    .slice(2)
    .split('/')
    .reduce<unknown>((part, name) => asJson(part)[name.replaceAll('~1', '/').replaceAll('~0', '~')], document)
  return resolved(found, document)
}

const refOf = (schema: unknown): string => String(asJson(schema).$ref ?? '')

export const asJson = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const without = (some: unknown, others: unknown): unknown[] =>
  asList(some).filter(value => !asList(others).includes(value))

const bound = (value: unknown, absent: number): number => (typeof value === 'number' ? value : absent)

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
