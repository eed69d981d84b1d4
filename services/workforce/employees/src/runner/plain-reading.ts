/** A result as somebody would read it out: its texts in their order, lists as lines. */
export const plainReading = (result: unknown): string => linesOf(result, '').join('\n')

function linesOf(value: unknown, name: string): string[] {
  if (value === null || value === undefined || value === '' || isEmpty(value)) return []
  if (Array.isArray(value))
    return [...(name === '' ? [] : [`${name}:`]), ...value.flatMap(one => listed(linesOf(one, '')))]
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([key, inner]) => linesOf(inner, key.replaceAll('_', ' ')))
  if (typeof value === 'string' && (name === '' || value.includes('\n') || value.length > 100)) return [value]
  return [name === '' ? String(value) : `${name}: ${value}`]
}

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0

const listed = (lines: readonly string[]) => lines.map((line, at) => (at === 0 ? `- ${line}` : `  ${line}`))
