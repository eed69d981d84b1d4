/** Values within each other that are written; what is deeper is an ellipsis. */
const DEEPEST = 3

/** A value of a page's JSON as JSON, about as long as allowed: of a foreign value neither the depth nor the length is known. */
export function printed(value: unknown, longest: number, depth = DEEPEST): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, longest))
  if (typeof value !== 'object' || value === null) return String(value)
  if (depth === 0) return '…'
  const isList = Array.isArray(value)
  const names = isList ? value.keys() : Object.keys(value)
  const parts: string[] = []
  let room = longest
  for (const name of names) {
    if (room < 0) break
    const inner = printed((value as Record<PropertyKey, unknown>)[name], room, depth - 1)
    const part = isList ? inner : `${JSON.stringify(String(name).slice(0, room))}:${inner}`
    parts.push(part)
    room -= part.length
  }
  return isList ? `[${parts.join(',')}]` : `{${parts.join(',')}}`
}
