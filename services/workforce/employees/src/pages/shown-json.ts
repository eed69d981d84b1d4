/** JSON as a page shows it. */

/** The widest line. */
const WIDTH = 110
/** Of a list, and of a text. */
const MOST_ITEMS = 2
const MOST_CHARACTERS = 160
/** Of a fraction. What is behind them can differ from one processor to the next. */
const DIGITS = 6

/** Lists cut to their first items, texts to their beginning and fractions to their first digits: what is left is of the same shape. */
export function cut(value: unknown): unknown {
  if (typeof value === 'string') return value.length > MOST_CHARACTERS ? `${beginning(value)}…` : value
  if (typeof value === 'number') return Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS))
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).map(cut)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cut(inner)]))
}

/** Indented, with what fits into a line in one. */
export function layOut(value: unknown, indent = 0, before = 0): string {
  const line = inLine(value)
  if (indent + before + line.length <= WIDTH || typeof value !== 'object' || value === null) return line
  const margin = ' '.repeat(indent + 2)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const entries = Array.isArray(value)
    ? value.map(item => layOut(item, indent + 2))
    : Object.entries(value).map(([key, inner]) => {
        const name = `${JSON.stringify(key)}: `
        return name + layOut(inner, indent + 2, name.length)
      })
  return `${open}\n${entries.map(entry => margin + entry).join(',\n')}\n${' '.repeat(indent)}${close}`
}

function inLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${inLine(inner)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

/** Ends between two characters that a reader would tell apart. */
function beginning(text: string): string {
  let end = ''
  for (const { segment } of new Intl.Segmenter('en').segment(text)) {
    if (end.length + segment.length > MOST_CHARACTERS) break
    end += segment
  }
  return end
}
