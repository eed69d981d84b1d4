/** What is posted of an event. */

/**
 * The event's text as it was written, with `timestamp` for `created_at`, as Standard Webhooks has it: not read and
 * written again, which would change numbers. Undefined for what is not the text of an event.
 */
export function bodyOf(event: string): string | undefined {
  const key = topLevelKey(event, '"created_at"')
  return key === undefined ? undefined : `${event.slice(0, key.start)}"timestamp"${event.slice(key.end)}`
}

/** Where a key of the object is that a JSON text consists of. */
function topLevelKey(text: string, key: string): { start: number; end: number } | undefined {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') depth--
    else if (char === '"') {
      const end = endOfString(text, at)
      if (depth === 1 && text.slice(at, end) === key && /^\s*:/.test(text.slice(end, end + 16)))
        return { start: at, end }
      at = end - 1
    }
  }
  return undefined
}

/** The place after the quote that ends the string. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at + 1
  }
  return text.length
}
