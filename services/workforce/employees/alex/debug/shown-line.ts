/** A line of code as it is quoted: without characters that can't be seen or that turn the direction, and not for ever. */
export function shownLine(line: string): string {
  const visible = line
    .slice(0, MOST)
    .replaceAll(/(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .toWellFormed()
  return line.length > MOST ? `${visible}…` : visible
}

const MOST = 500
