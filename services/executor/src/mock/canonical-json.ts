/** JSON text that is the same for values that differ in nothing but the order of their fields. */
export const canonicalJson = (value: unknown): string => JSON.stringify(value, inOrder) ?? ''

function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
