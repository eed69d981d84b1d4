/** Rows as text, each column as wide as its widest value. What would move a cursor is shown as it is in JSON. */
export function tableText(rows: readonly (readonly string[])[]): string {
  const shown = rows.map(row => row.map(printable))
  const widths = shown.reduce<number[]>((most, row) => row.map((cell, at) => Math.max(most[at] ?? 0, cell.length)), [])
  return shown
    .map(row =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map(line => `${line}\n`)
    .join('')
}

/** A name may hold anything. */
const printable = (text: string) => (/^[^\p{Cc}\p{Cf}]*$/u.test(text) ? text : JSON.stringify(text))
