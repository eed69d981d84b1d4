/** The members of a JSON object as they are written: nothing is read and written again, which would change numbers. */

interface Span {
  readonly start: number
  readonly end: number
}

interface Member {
  /** With its quotes. */
  readonly key: Span
  /** With the spaces around it. */
  readonly value: Span
}

/** Where they stand in the text, one by one; none of what is no object. The text is JSON. */
export function* jsonMembers(text: string): Generator<Member> {
  let depth = 0
  let key: Span | undefined
  let start: number | undefined
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') {
      const end = endOfString(text, at)
      if (depth === 1 && start === undefined) key = { start: at, end }
      at = end - 1
    } else if (char === ':' && depth === 1) start = at + 1
    else if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']' || (char === ',' && depth === 1)) {
      if (depth === 1 && key && start !== undefined) yield { key, value: { start, end: at } }
      if (depth === 1) [key, start] = [undefined, undefined]
      if (char !== ',') depth--
    }
  }
}

/** Those with these names. */
export function writtenMembers<Name extends string>(
  text: string,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {}
  for (const { key, value } of jsonMembers(text)) {
    const name = names.find(each => text.slice(key.start + 1, key.end - 1) === each)
    if (name !== undefined) found[name] = text.slice(value.start, value.end).trim()
  }
  return found
}

/** The place after the quote that ends the string. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at + 1
  }
  return text.length
}
