/** The name that was meant where one is misspelt. */

/** The only name of the text that is one slip away, at most two in long ones; undefined where there is none, or several are as near. */
export function nearestName(wrong: string, text: string): string | undefined {
  const most = wrong.length > 5 ? 2 : 1
  const names = new Set(text.match(/[\p{L}_$][\p{L}\p{N}_$]{1,60}/gu) ?? [])
  names.delete(wrong)
  const near = [...names]
    .filter(name => Math.abs(name.length - wrong.length) <= most)
    .map(name => ({ name, slips: slipsBetween(wrong, name) }))
    .filter(({ slips }) => slips <= most)
    .toSorted((a, b) => a.slips - b.slips)
  const [first, second] = near
  return first && first.slips !== second?.slips ? first.name : undefined
}

/** Letters added, left out, exchanged for another or with their neighbour: as `editsBetween` of `@millhand/api`, which an isolated kind can't read. */
function slipsBetween(a: string, b: string): number {
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
