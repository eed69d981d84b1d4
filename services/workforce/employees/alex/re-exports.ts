/** Modules of Python that import names for others to import from them. */

/**
 * Of the lines with an import that is not used, those of a `from … import`, in a module that has nothing else, or that uses the
 * fewest of the names which it imports so.
 */
export function reExported(lines: readonly string[], unused: readonly number[]): ReadonlySet<number> {
  const handedOn = unused.filter(line => isFromImport(lines, line))
  const isForOthers = () =>
    !lines.some(row => work.test(row)) || (handedOn.length >= MANY && handedOn.length * 2 > imported(lines.join('\n')))
  return new Set(handedOn.length > 0 && isForOthers() ? handedOn : [])
}

/** Nobody forgets so many in one module. */
const MANY = 8

function isFromImport(lines: readonly string[], line: number): boolean {
  for (let at = line - 1; at >= 0 && at > line - MOST_LINES; at--) {
    const word = /^\s*(from|import)\s/.exec(lines[at] ?? '')?.[1]
    if (word !== undefined) return word === 'from'
  }
  return false
}

const MOST_LINES = 100

/** What begins a statement that does something. */
const work = /^\s*(?:async\s|def\s|class\s|for\s|while\s|with\s|return\b|raise\b|assert\s|del\s|@|[\w.]+\()/

/** How many names come by `from … import`. */
const imported = (text: string): number =>
  [...text.matchAll(/^[ \t]*from[ \t]+[\w.]+[ \t]+import[ \t]+(?:\(([^)]{0,4000})\)|([^\n(]{0,1000}))/gm)].reduce(
    (sum, [, inBrackets, onLine]) => sum + ((inBrackets ?? onLine ?? '').match(/\w+(?:\s+as\s+\w+)?/g) ?? []).length,
    0,
  )
