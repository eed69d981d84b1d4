/**
 * The word that was meant where one is misspelt: the one with the fewest edits, at most a third of its length or one.
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

/**
 * Characters (UTF-16 units) that are added, left out, exchanged for another or with their neighbour. Rows of numbers
 * that are used again: a request with a hundred unknown parameters compares thousands of words.
 */
function editsBetween(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, at) => at)
  let row: number[] = [...above]
  for (let i = 1; i <= a.length; i++) {
    row[0] = i
    for (let j = 1; j <= b.length; j++) {
      const isSame = a.charCodeAt(i - 1) === b.charCodeAt(j - 1)
      const replaced = (above[j - 1] as number) + (isSame ? 0 : 1)
      const here = Math.min((above[j] as number) + 1, (row[j - 1] as number) + 1, replaced)
      const isTurned =
        i > 1 && j > 1 && a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1)
      row[j] = isTurned ? Math.min(here, (before[j - 2] as number) + 1) : here
    }
    ;[before, above, row] = [above, row, before]
  }
  return above[b.length] as number
}
