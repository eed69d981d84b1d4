/** The kinds of configuration variables: how each is read, and what it says of itself. */
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { inspect } from 'node:util'

/** One variable: how to read its text, and what the documentation says of it. */
export interface Setting<T> {
  /** As it would be written; absent where the variable has to be set. */
  readonly default?: string
  readonly doc: string
  /** What may be written, in words. */
  readonly form: string
  /** May be absent: its value is then undefined. */
  readonly optional?: true
  /** Its text is shown nowhere. */
  readonly secret?: true
  /** Undefined where the text is not in the form. */
  read(text: string): T | undefined
}

export interface Address {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
}

/** A text that does not print: only `reveal` gives it away. */
export interface Secret {
  reveal(): string
}

/** Where to listen or connect: `host:port`. An IPv6 address stands in brackets; port 0 takes a free one. */
export const address = (preset: string | undefined, doc: string): Setting<Address> =>
  setting(preset, doc, 'host:port, for example 127.0.0.1:8080 or [::1]:8080', text => {
    const [, v6, name, digits] = /^(?:\[([^\]]+)\]|([^:[\]\s]+)):(\d{1,5})$/.exec(text) ?? []
    const port = Number(digits)
    const host = v6 ?? name
    if (host === undefined || port > 65_535 || (v6 !== undefined && isIP(v6) !== 6)) return undefined
    return { host, port }
  })

/** Where something is reached: URLs of one of the protocols (`http:`), with commas between them; at least one. */
export const urls = (doc: string, protocols: readonly string[]): Setting<readonly string[]> =>
  setting(undefined, doc, `one or more URLs of ${protocols.join(' or ')}, with commas between them`, value => {
    const all = value.split(',').map(item => item.trim())
    const isOne = (item: string) => URL.canParse(item) && protocols.includes(new URL(item).protocol)
    return all.every(isOne) ? all : undefined
  })

export const text = (preset: string | undefined, doc: string): Setting<string> =>
  setting(preset, doc, 'text', value => value)

/** It has no default: a secret that everyone knows is none. `minLength` is in characters. */
export const secret = (doc: string, { minLength = 1 } = {}): Setting<Secret> => ({
  ...setting(undefined, doc, minLength === 1 ? 'text' : `text of at least ${minLength} characters`, value =>
    value.length < minLength ? undefined : secretOf(value),
  ),
  secret: true,
})

/** A whole number. `unit` is for the documentation. */
export function integer(
  preset: number | undefined,
  doc: string,
  { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER, unit = '' } = {},
): Setting<number> {
  const range = [
    ...(min > Number.MIN_SAFE_INTEGER ? [`at least ${min}`] : []),
    ...(max < Number.MAX_SAFE_INTEGER ? [`at most ${max}`] : []),
  ].join(' and ')
  const form = `a whole number${unit && ` of ${unit}`}${range && `, ${range}`}`
  return setting(preset?.toString(), doc, form, value => {
    const number = /^[+-]?\d+$/.test(value) ? Number(value) : Number.NaN
    return number >= min && number <= max ? number : undefined
  })
}

/** Milliseconds, written with a unit: `500ms`, `10s`, `5m`, `1h`, `30d`. */
export const duration = (preset: string | undefined, doc: string): Setting<number> =>
  setting(preset, doc, 'a time with its unit, for example 500ms, 10s, 5m, 1h or 30d', value => {
    const [, digits, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(value) ?? []
    return unit === undefined ? undefined : Number(digits) * millisecondsIn[unit as keyof typeof millisecondsIn]
  })

export const boolean = (preset: boolean | undefined, doc: string): Setting<boolean> =>
  setting(preset?.toString(), doc, 'true or false', value =>
    value === 'true' || value === '1' ? true : value === 'false' || value === '0' ? false : undefined,
  )

export const oneOf = <const T extends string>(preset: T | undefined, doc: string, values: readonly T[]): Setting<T> =>
  setting(preset, doc, `one of ${values.join(', ')}`, value => values.find(known => known === value))

/** A file or folder. The value is absolute; what is written is taken from the folder that the process runs in. */
export const path = (preset: string | undefined, doc: string): Setting<string> =>
  setting(preset, doc, 'a path', value => (value.includes('\0') ? undefined : resolve(value)))

/** Texts with commas between them. */
export const list = (preset: readonly string[] | undefined, doc: string): Setting<readonly string[]> =>
  setting(preset?.join(','), doc, 'texts with commas between them', value =>
    value
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== ''),
  )

/** The same variable, that need not be set. */
export const optional = <T>({ default: _, ...rest }: Setting<T>): Setting<T | undefined> => ({
  ...rest,
  optional: true,
})

const millisecondsIn = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function setting<T>(
  preset: string | undefined,
  doc: string,
  form: string,
  read: (text: string) => T | undefined,
): Setting<T> {
  return { ...(preset !== undefined && { default: preset }), doc, form, read }
}

function secretOf(value: string): Secret {
  const redacted = () => '[redacted]'
  return Object.defineProperties({} as Secret, {
    reveal: { value: () => value },
    toString: { value: redacted },
    toJSON: { value: redacted },
    [inspect.custom]: { value: redacted },
  })
}
