/** Values as plain JSON for the log: without secrets and contents of users, cycles, and more than a line may hold. */
import { isSecretName, REDACTED } from './redaction.ts'

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

function attempt(read: () => unknown): unknown {
  try {
    return read()
  } catch {
    return '[unreadable]'
  }
}
