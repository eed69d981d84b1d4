/** Modules of Python that import names for others to import from them. */

/** Whether a line is of a `from … import`, in a module that has nothing else, or that uses the fewest of the names which it imports so. */
export function isReExported(lines: readonly string[], line: number, unused: readonly number[]): boolean {
  if (!isFromImport(lines, line)) return false
  const handedOn = unused.filter(other => isFromImport(lines, other)).length
  return !lines.some(row => work.test(row)) || (handedOn >= MANY && handedOn * 2 > imported(lines.join('\n')))
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
