/** What of a value may be logged, as plain JSON: no secrets, no contents of users, no cycles, no end of the world. */

const REDACTED = '[redacted]'
const MAX_DEPTH = 6
const MAX_ITEMS = 100
const MAX_TEXT = 8_192

/** The value as plain JSON. What cannot be shown is replaced by a word in brackets that says why. */
export function loggable(value: unknown): unknown {
  return shown(value, 0, [])
}

function shown(value: unknown, depth: number, within: readonly object[]): unknown {
  switch (typeof value) {
    case 'string':
      return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}[${value.length - MAX_TEXT} more]` : value
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'bigint':
      return String(value)
    case 'boolean':
    case 'undefined':
      return value
    case 'function':
    case 'symbol':
      return `[${typeof value}]`
    case 'object':
      if (value === null) return null
      if (within.includes(value)) return '[circular]'
      if (depth === MAX_DEPTH) return '[too deep]'
      return shownObject(value, depth + 1, [...within, value])
  }
}

function shownObject(value: object, depth: number, within: readonly object[]): unknown {
  if (value instanceof Error) return shownError(value, depth, within)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '[invalid date]' : value.toISOString()
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (value instanceof Map) return shownObject(Object.fromEntries(value), depth, within)
  if (value instanceof Set) return shownObject([...value], depth, within)
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map(item => shown(item, depth, within))
    return value.length > MAX_ITEMS ? [...items, `[${value.length - MAX_ITEMS} more]`] : items
  }
  const toJson = attempt(() => (value as { toJSON?: unknown }).toJSON)
  if (typeof toJson === 'function')
    return shown(
      attempt(() => toJson.call(value)),
      depth,
      within,
    )
  const result: Record<string, unknown> = Object.create(null)
  for (const name of Object.keys(value).slice(0, MAX_ITEMS)) {
    const one = attempt(() => (value as Record<string, unknown>)[name])
    result[name] = isSecretName(name) && one !== undefined ? REDACTED : shown(one, depth, within)
  }
  return result
}

function shownError(error: Error, depth: number, within: readonly object[]): unknown {
  const { message, stack, code, cause } = error as Error & { code?: unknown }
  return {
    message: shown(message, depth, within),
    stack: shown(stack, depth, within),
    ...(code !== undefined && { code: shown(code, depth, within) }),
    ...(cause !== undefined && { cause: shown(cause, depth, within) }),
  }
}

/** Names that mean a secret wherever they stand in a name: `password_hash`, `setCookie`. */
const secretWords = /^(authorization|cookies?|credentials?|passphrase|passwords?|secrets?)$/

/** Names that mean one where they end it: `api_key` does, `key_id` and `input_tokens` do not. */
const secretEnds = /^(apikey|inputs?|keys?|outputs?|token)$/

/** Names seen before: a program has few, and taking one apart costs more than the rest of a line. */
const seenNames = new Map<string, boolean>()
const MAX_SEEN_NAMES = 1_000

function isSecretName(name: string): boolean {
  let secret = seenNames.get(name)
  if (secret === undefined) {
    const words = name
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .toLowerCase()
      .split(/[^a-z0-9]+/)
    secret = words.some(word => secretWords.test(word)) || secretEnds.test(words.at(-1) ?? '')
    if (seenNames.size < MAX_SEEN_NAMES) seenNames.set(name, secret)
  }
  return secret
}

function attempt(read: () => unknown): unknown {
  try {
    return read()
  } catch {
    return '[unreadable]'
  }
}
