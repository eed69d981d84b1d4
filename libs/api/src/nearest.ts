/**
 * The word that was meant where one is misspelt: the one with the fewest edits, at most a third of its length.
 * Undefined where each is further away, and for words of more than 64 characters, which take time.
 */
export function nearest(wrong: string, words: Iterable<string>): string | undefined {
  if (wrong.length > maxLength) return undefined
  let best: string | undefined
  let fewest = Number.POSITIVE_INFINITY
  for (const word of words) {
    const most = Math.max(1, Math.floor(word.length / 3))
    if (Math.abs(word.length - wrong.length) > most) continue
    const edits = editsBetween(wrong, word)
    if (edits > most || edits >= fewest) continue
    best = word
    fewest = edits
  }
  return best
}

const maxLength = 64

/** Characters (UTF-16 units) that are added, left out, exchanged for another or with their neighbour. */
export function editsBetween(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const at = (up: number, left: number) => rows[i - up]?.[j - left] ?? 0
      const here = Math.min(at(1, 0) + 1, (row[j - 1] ?? 0) + 1, at(1, 1) + (a[i - 1] === b[j - 1] ? 0 : 1))
      const isTurned = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(isTurned ? Math.min(here, at(2, 2) + 1) : here)
    }
    rows.push(row)
  }
  return rows[a.length]?.[b.length] ?? 0
}
