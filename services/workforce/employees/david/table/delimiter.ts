/** What separates the cells of a text. */

/** The line by which Excel is told what separates cells. */
const FROM_EXCEL = /^sep=([;,\t|])(?:\r\n|\r|\n)/i

/** `ahead`: how many characters of the text are only there to say it. */
export function delimiterOf(text: string): { readonly delimiter: string; readonly ahead: number } {
  const [ahead, said] = FROM_EXCEL.exec(text.slice(0, 16)) ?? []
  return ahead !== undefined && said !== undefined
    ? { delimiter: said, ahead: ahead.length }
    : { delimiter: found(text), ahead: 0 }
}

/**
 * What most of the first lines have, each as often as the others; commas last, as decimals have them too. Where no two lines
 * agree, what the first has most often.
 */
function found(text: string): string {
  const lines = text
    .slice(0, 100_000)
    .replaceAll(/"[^"]*"/g, '""')
    .split(/\r\n|\r|\n/, LINES)
    .filter(line => line.trim() !== '' && !isRule(line))
  const times = (sign: string, line = '') => line.split(sign).length - 1
  const agreeing = (sign: string) => {
    const counts = lines.map(line => times(sign, line))
    const lineCounts = Map.groupBy(
      counts.filter(count => count > 0),
      count => count,
    )
    return Math.max(0, ...[...lineCounts.values()].map(({ length }) => length))
  }
  const most = (count: (sign: string) => number) =>
    SIGNS.reduce((best, sign) => (count(sign) > count(best) ? sign : best))
  const best = most(agreeing)
  if (agreeing(best) > 1 && agreeing(best) * 2 > lines.length) return best
  if (isTableOfR(lines)) return ' '
  const inHeader = most(sign => times(sign, lines[0]))
  return times(inHeader, lines[0]) > 0 ? inHeader : ','
}

/** A line of dashes, as lists of SAP and tables of Markdown have them. */
const isRule = (line: string) => line.includes('---') && /^[\s|+:=-]+$/.test(line)

/** What `write.table` of R writes: names in quotes, with a space between. */
const isTableOfR = ([header = '', ...rows]: readonly string[]) =>
  /^""(?: "")+$/.test(header.trim()) &&
  rows.length > 0 &&
  rows.every(row => [0, 1].includes(row.trim().split(' ').length - header.trim().split(' ').length))

const LINES = 60
const SIGNS = [';', '\t', '|', ','] as const
